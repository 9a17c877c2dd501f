// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks descriptors and computes layouts and limits (Runtime 3.3.1).
#include <algorithm>

#include "image/image.h"

namespace heddle::image {
namespace {

constexpr Limits our_limits = {.width_1d = 16384,
                               .width_1db = 1U << 27,
                               .size_2d = 16384,
                               .size_3d = 2048,
                               .layers = 2048,
                               .read_handles = 4096,
                               .write_handles = 4096,
                               .samplers = 4096,
                               .row_pitch_alignment = 1,
                               .data_alignment = 16};

/// Reports whether an image may have this size. A size that the geometry does not have must be 0, or 1, which
/// many clients give.
bool fits(size_t size, bool has, uint32_t greatest) {
  return has ? size >= 1 && size <= greatest : size <= 1;
}

bool sizes_fit(const hsa_ext_image_descriptor_t& d, const GeometryShape& shape) {
  const uint32_t greatest = d.geometry == HSA_EXT_IMAGE_GEOMETRY_1DB ? our_limits.width_1db
                            : shape.dimensions == 1                  ? our_limits.width_1d
                            : shape.dimensions == 2                  ? our_limits.size_2d
                                                                     : our_limits.size_3d;
  return fits(d.width, true, greatest) && fits(d.height, shape.dimensions > 1, greatest) &&
         fits(d.depth, shape.dimensions > 2, greatest) && fits(d.array_size, shape.layers, our_limits.layers);
}

}  // namespace

const Limits& limits() { return our_limits; }

hsa_status_t plan_layout(const hsa_ext_image_descriptor_t& d, uint64_t row_pitch, uint64_t slice_pitch,
                         Layout& layout) {
  if (!is_legal(static_cast<uint32_t>(d.geometry), d.format))
    return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  const GeometryShape shape = *shape_of(static_cast<uint32_t>(d.geometry));
  if (!sizes_fit(d, shape)) return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
  const uint64_t element = *element_size(d.format), least_row = d.width * element;
  if (row_pitch == 0) row_pitch = least_row;
  if (row_pitch < least_row || row_pitch % element != 0 || row_pitch % our_limits.row_pitch_alignment != 0 ||
      row_pitch > uint64_t{1} << 40)
    return HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
  const uint64_t rows = shape.dimensions > 1 ? d.height : 1;
  const uint64_t slices = shape.dimensions > 2 ? d.depth : shape.layers ? d.array_size : 0;
  const uint64_t least_slice = slices == 0 ? 0 : row_pitch * rows;
  if (slice_pitch == 0) slice_pitch = least_slice;
  if (slices == 0
          ? slice_pitch != 0
          : slice_pitch < least_slice || slice_pitch % row_pitch != 0 || slice_pitch > uint64_t{1} << 48)
    return HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
  layout = {row_pitch, slice_pitch, slices == 0 ? row_pitch * rows : slice_pitch * slices};
  return HSA_STATUS_SUCCESS;
}

Image make_image(const hsa_ext_image_descriptor_t& d, hsa_access_permission_t permission,
                 const Layout& layout, void* data) {
  const auto size = [](size_t value) { return static_cast<uint32_t>(std::max<size_t>(value, 1)); };
  return {.magic = HSAM_IMAGE_MAGIC,
          .size = sizeof(Image),
          .geometry = static_cast<uint32_t>(d.geometry),
          .access_permission = permission,
          .format = d.format,
          .width = size(d.width),
          .height = size(d.height),
          .depth = size(d.depth),
          .layers = size(d.array_size),
          .element_size = *element_size(d.format),
          .reserved = 0,
          .row_pitch = layout.row_pitch,
          .slice_pitch = layout.slice_pitch,
          .data = data};
}

hsa_status_t make_sampler(const hsa_ext_sampler_descriptor_t& d, Sampler& sampler) {
  const bool repeats = d.address_mode == HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT ||
                       d.address_mode == HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT;
  if (d.coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED ||
      d.filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR ||
      d.address_mode > HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT ||
      (repeats && d.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED))
    return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
  sampler = {.magic = HSAM_SAMPLER_MAGIC,
             .size = sizeof(Sampler),
             .coordinate_mode = d.coordinate_mode,
             .filter_mode = d.filter_mode,
             .address_mode = d.address_mode,
             .reserved = 0};
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::image
