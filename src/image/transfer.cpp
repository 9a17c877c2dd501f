// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, imports, exports and clears regions of images (Runtime 3.3.1.21 to 3.3.1.25).
#include <algorithm>
#include <cstring>

#include "image/element.h"
#include "image/format.h"

namespace heddle::image {
namespace {

/// A region in terms of pitches, where the layers of a 1da image are rows.
struct Box {
  uint32_t x, y, z, width, rows, slices;
};
Box box_of(const Image& image, const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  if (image.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA) return {offset.x, 0, offset.y, range.x, 1, range.y};
  return {offset.x, offset.y, offset.z, range.x, range.y, range.z};
}

/// Clients may give sizes that a geometry does not have as 0 or as 1.
hsa_dim3_t at_least_one(const hsa_dim3_t& range) {
  return {range.x, std::max(range.y, 1u), std::max(range.z, 1u)};
}

/// Returns the channel order that stores the same components without sRGB; for depth it is r.
uint32_t plain_order(uint32_t order) {
  switch (order) {
    case HSA_EXT_IMAGE_CHANNEL_ORDER_SRGB:
      return HSA_EXT_IMAGE_CHANNEL_ORDER_RGB;
    case HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBX:
      return HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX;
    case HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA:
      return HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA;
    case HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA:
      return HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA;
    case HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH:
      return HSA_EXT_IMAGE_CHANNEL_ORDER_R;
    default:
      return order;
  }
}

/// The pitches of linear memory, where pitches that are too small are replaced by the smallest possible ones.
struct Linear {
  size_t row, slice;
};
Linear linear_pitches(const Image& image, const Box& box, size_t row_pitch, size_t slice_pitch) {
  const size_t row = std::max<size_t>(row_pitch, size_t{box.width} * image.element_size);
  return {row, std::max<size_t>(slice_pitch, row * box.rows)};
}

/// Calls `visit(row of the image, offset in linear memory, bytes)` for each row of the region.
template <typename Visit>
void for_each_row(const Image& image, const hsa_ext_image_region_t& region, size_t row_pitch,
                  size_t slice_pitch, Visit visit) {
  const Box box = box_of(image, region.offset, at_least_one(region.range));
  const Linear pitch = linear_pitches(image, box, row_pitch, slice_pitch);
  const size_t bytes = size_t{box.width} * image.element_size;
  for (uint32_t z = 0; z < box.slices; ++z)
    for (uint32_t y = 0; y < box.rows; ++y)
      visit(element_address(image, box.x, box.y + y, box.z + z), z * pitch.slice + y * pitch.row, bytes);
}

/// Stores the same bytes at every `step` bytes. Without gaps, it repeatedly copies what is there already
/// behind itself.
void repeat(std::byte* row, size_t bytes, const std::byte* element, size_t stored, size_t step) {
  if (stored != step) {
    for (size_t at = 0; at < bytes; at += step) std::memcpy(row + at, element, stored);
    return;
  }
  std::memcpy(row, element, step);
  for (size_t done = step; done < bytes; done *= 2)
    std::memcpy(row + done, row, std::min(done, bytes - done));
}

}  // namespace

bool contains(const Image& image, const hsa_dim3_t& offset, const hsa_dim3_t& range) {
  const hsa_dim3_t sizes = at_least_one(range);
  const GeometryShape shape = *shape_of(image.geometry);
  const uint64_t limit[3] = {image.width, shape.dimensions == 1 && shape.layers ? image.layers : image.height,
                             shape.dimensions > 1 && shape.layers ? image.layers : image.depth};
  return uint64_t{offset.x} + sizes.x <= limit[0] && uint64_t{offset.y} + sizes.y <= limit[1] &&
         uint64_t{offset.z} + sizes.z <= limit[2];
}

bool are_copyable(const hsa_ext_image_format_t& from, const hsa_ext_image_format_t& to) {
  return from.channel_type == to.channel_type &&
         plain_order(from.channel_order) == plain_order(to.channel_order);
}

void copy(const Image& from, const hsa_dim3_t& from_offset, const Image& to, const hsa_dim3_t& to_offset,
          const hsa_dim3_t& range) {
  const hsa_dim3_t sizes = at_least_one(range);
  for (uint32_t z = 0; z < sizes.z; ++z) {
    for (uint32_t y = 0; y < sizes.y; ++y) {
      const auto row = [&](const Image& image, const hsa_dim3_t& offset) {
        const bool rows_are_layers = image.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
        return rows_are_layers ? element_address(image, offset.x, 0, offset.y + y)
                               : element_address(image, offset.x, offset.y + y, offset.z + z);
      };
      std::memmove(row(to, to_offset), row(from, from_offset), size_t{sizes.x} * from.element_size);
    }
  }
}

void import_region(const Image& image, const void* memory, size_t row_pitch, size_t slice_pitch,
                   const hsa_ext_image_region_t& region) {
  for_each_row(image, region, row_pitch, slice_pitch, [&](std::byte* row, size_t offset, size_t bytes) {
    std::memcpy(row, static_cast<const std::byte*>(memory) + offset, bytes);
  });
}

void export_region(const Image& image, void* memory, size_t row_pitch, size_t slice_pitch,
                   const hsa_ext_image_region_t& region) {
  for_each_row(image, region, row_pitch, slice_pitch, [&](std::byte* row, size_t offset, size_t bytes) {
    std::memcpy(static_cast<std::byte*>(memory) + offset, row, bytes);
  });
}

void clear(const Image& image, const void* data, const hsa_ext_image_region_t& region) {
  Texel texel{};
  std::memcpy(texel.component, data, is_depth_geometry(image.geometry) ? 4 : sizeof texel.component);
  const Components components = from_texel(image, AccessType::f32, texel);
  std::byte element[16];
  encode(image, components, element);
  const size_t stored = stored_size(image);
  for_each_row(image, region, 0, 0, [&](std::byte* row, size_t, size_t bytes) {
    repeat(row, bytes, element, stored, image.element_size);
  });
}

}  // namespace heddle::image
