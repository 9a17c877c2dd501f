// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, imports, exports and clears regions of images (Runtime 3.3.1.21 to 3.3.1.25).
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "image/element.h"
#include "image/format.h"
#include "image/image.h"

namespace heddle::image {
namespace {

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

/// Bytes from one row to the next, and from one slice to the next. The rows of a 1da image are its layers.
struct Pitch {
  size_t row, slice;
};
bool rows_are_layers(const Image& image) { return image.geometry == HSA_EXT_IMAGE_GEOMETRY_1DA; }
Pitch pitch_of(const Image& image) {
  return rows_are_layers(image) ? Pitch{image.slice_pitch, 0} : Pitch{image.row_pitch, image.slice_pitch};
}
uint8_t* first_element(const Image& image, const hsa_dim3_t& offset) {
  return rows_are_layers(image) ? element_address(image, offset.x, 0, offset.y)
                                : element_address(image, offset.x, offset.y, offset.z);
}

/// Rows of bytes that lie in two places.
struct Rows {
  size_t bytes, rows, slices;
  Pitch first, second;

  bool is_row_in(const Pitch& pitch) const { return pitch.row == bytes; }
  bool is_slice_in(const Pitch& pitch) const { return pitch.slice == bytes; }
  /// Makes one row of those that follow each other without gaps in both places.
  void merge() {
    if (rows > 1 && !(is_row_in(first) && is_row_in(second))) return;
    bytes *= rows;
    rows = 1;
    if (slices > 1 && !(is_slice_in(first) && is_slice_in(second))) return;
    bytes *= slices;
    slices = 1;
  }
};
/// Calls `visit(offset in the first place, offset in the second one, bytes)` for each row until an error.
template <typename Visit>
hsa_status_t for_each_row(Rows rows, Visit visit) {
  rows.merge();
  for (size_t z = 0; z < rows.slices; ++z)
    for (size_t y = 0; y < rows.rows; ++y) {
      const auto offset = [&](const Pitch& pitch) { return z * pitch.slice + y * pitch.row; };
      const hsa_status_t status = visit(offset(rows.first), offset(rows.second), rows.bytes);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
  return HSA_STATUS_SUCCESS;
}

/// Returns the rows of a region, and in the second place those of linear memory, where pitches that are too
/// small are replaced by the smallest possible ones.
Rows rows_of(const Image& image, const hsa_ext_image_region_t& region, size_t row_pitch, size_t slice_pitch) {
  const hsa_dim3_t range = at_least_one(region.range);
  const size_t bytes = size_t{range.x} * image.element_size, row = std::max(row_pitch, bytes);
  const Pitch linear = rows_are_layers(image) ? Pitch{std::max(slice_pitch, row), 0}
                                              : Pitch{row, std::max(slice_pitch, row * range.y)};
  return {bytes, range.y, range.z, pitch_of(image), linear};
}

/// Moves bytes of the host, or bytes of which some are an agent's.
hsa_status_t move_bytes(const Move& move, void* to, const void* from, size_t size) {
  if (move) return move(to, from, size);
  std::memmove(to, from, size);
  return HSA_STATUS_SUCCESS;
}

/// Stores the same bytes at every `step` bytes. Without gaps, it repeatedly copies what is there already
/// behind itself.
void repeat(uint8_t* row, size_t bytes, const uint8_t* element, size_t stored, size_t step) {
  if (stored != step) {
    for (size_t at = 0; at < bytes; at += step) std::memcpy(row + at, element, stored);
    return;
  }
  std::memcpy(row, element, step);
  for (size_t done = step; done < bytes; done *= 2)
    std::memcpy(row + done, row, std::min(done, bytes - done));
}

/// The bytes that are stored at the beginning of every element of a region.
struct Pattern {
  uint8_t element[16];
  size_t stored, step;
};

/// Fills a row of an agent's memory through a buffer.
class AgentFill {
 public:
  AgentFill(const Move& move, const Pattern& pattern, size_t row)
      : move_(move), pattern_(pattern), buffer_(std::min(row, most_elements * pattern.step)) {
    repeat(buffer_.data(), buffer_.size(), pattern.element, pattern.stored, pattern.step);
  }
  hsa_status_t fill(uint8_t* row, size_t bytes) {
    for (size_t done = 0; done < bytes; done += buffer_.size()) {
      const hsa_status_t status = fill_piece(row + done, std::min(bytes - done, buffer_.size()));
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  }

 private:
  static constexpr size_t most_elements = 1 << 16;

  /// What lies between the bytes that are stored has to stay.
  hsa_status_t fill_piece(uint8_t* at, size_t bytes) {
    if (pattern_.stored != pattern_.step) {
      const hsa_status_t status = move_(buffer_.data(), at, bytes);
      if (status != HSA_STATUS_SUCCESS) return status;
      repeat(buffer_.data(), bytes, pattern_.element, pattern_.stored, pattern_.step);
    }
    return move_(at, buffer_.data(), bytes);
  }

  const Move& move_;
  const Pattern& pattern_;
  std::vector<uint8_t> buffer_;
};

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

hsa_status_t copy(const Image& from, const hsa_dim3_t& from_offset, const Image& to,
                  const hsa_dim3_t& to_offset, const hsa_dim3_t& range, const Move& move) {
  const hsa_dim3_t sizes = at_least_one(range);
  const uint8_t* const source = first_element(from, from_offset);
  uint8_t* const destination = first_element(to, to_offset);
  return for_each_row({size_t{sizes.x} * from.element_size, sizes.y, sizes.z, pitch_of(from), pitch_of(to)},
                      [&](size_t from_there, size_t to_there, size_t bytes) {
                        return move_bytes(move, destination + to_there, source + from_there, bytes);
                      });
}

hsa_status_t import_region(const Image& image, const void* memory, size_t row_pitch, size_t slice_pitch,
                           const hsa_ext_image_region_t& region, const Move& move) {
  uint8_t* const element = first_element(image, region.offset);
  const auto* const linear = static_cast<const uint8_t*>(memory);
  return for_each_row(rows_of(image, region, row_pitch, slice_pitch),
                      [&](size_t in_image, size_t in_memory, size_t bytes) {
                        return move_bytes(move, element + in_image, linear + in_memory, bytes);
                      });
}

hsa_status_t export_region(const Image& image, void* memory, size_t row_pitch, size_t slice_pitch,
                           const hsa_ext_image_region_t& region, const Move& move) {
  const uint8_t* const element = first_element(image, region.offset);
  auto* const linear = static_cast<uint8_t*>(memory);
  return for_each_row(rows_of(image, region, row_pitch, slice_pitch),
                      [&](size_t in_image, size_t in_memory, size_t bytes) {
                        return move_bytes(move, linear + in_memory, element + in_image, bytes);
                      });
}

hsa_status_t clear(const Image& image, const void* data, const hsa_ext_image_region_t& region,
                   const Move& move) {
  Texel texel{};
  std::memcpy(texel.component, data, shape_at(image.geometry).holds_depth ? 4 : sizeof texel.component);
  Pattern pattern{{}, stored_size(image), image.element_size};
  encode(image, from_texel(image, AccessType::f32, texel), pattern.element);
  Rows rows = rows_of(image, region, 0, 0);
  rows.second = rows.first;  // so that no other memory keeps rows apart
  rows.merge();
  uint8_t* const element = first_element(image, region.offset);
  std::optional<AgentFill> agent_fill;
  if (move) agent_fill.emplace(move, pattern, rows.bytes);
  return for_each_row(rows, [&](size_t in_image, size_t, size_t bytes) {
    if (agent_fill) return agent_fill->fill(element + in_image, bytes);
    repeat(element + in_image, bytes, pattern.element, pattern.stored, pattern.step);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::image
