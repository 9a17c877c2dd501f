// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime does with images and samplers in memory (Runtime 3.3), beside what instructions do
// (operations.h). Nothing here has state, so all functions may be called from all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "image/operations.h"

namespace heddle::image {

/// Returns the shape of an hsa_ext_image_geometry_t, or nothing if the number is not a geometry.
std::optional<GeometryShape> shape_of(uint32_t geometry);

/// Returns the bytes of one element of a format (bpp / 8), or nothing if PRM Table 7-4 does not allow the
/// combination of channel type and order for any geometry.
std::optional<uint32_t> element_size(const hsa_ext_image_format_t& format);
/// Reports whether PRM Table 7-4 allows images of this geometry and format.
bool is_legal(uint32_t geometry, const hsa_ext_image_format_t& format);

/// The largest sizes in elements, and numbers of layers and handles (Runtime 3.3.1.2).
struct Limits {
  uint32_t width_1d, width_1db, size_2d, size_3d, layers;
  uint32_t read_handles, write_handles, samplers;
  uint32_t row_pitch_alignment, data_alignment;  ///< bytes
};
const Limits& limits();

/// Pitches and size, in bytes, of image data in the linear layout, which is also the opaque layout.
struct Layout {
  uint64_t row_pitch, slice_pitch;  ///< slice_pitch is 0 where the geometry has no slices and no layers
  uint64_t size;
};
/// Computes the layout of an image. Pitches of 0 stand for the smallest possible ones. Returns SUCCESS, or
/// the EXT_IMAGE_..._UNSUPPORTED that Runtime 3.3.1.16 and 3.3.1.17 ask for.
hsa_status_t plan_layout(const hsa_ext_image_descriptor_t& descriptor, uint64_t row_pitch,
                         uint64_t slice_pitch, Layout& layout);

/// Makes the structure of an image whose data has a layout from plan_layout(). `data` stays the caller's.
Image make_image(const hsa_ext_image_descriptor_t& descriptor, hsa_access_permission_t permission,
                 const Layout& layout, void* data);
/// Makes the structure of a sampler. Returns SUCCESS, or SAMPLER_DESCRIPTOR_UNSUPPORTED if PRM 7.1.8 does not
/// allow the descriptor.
hsa_status_t make_sampler(const hsa_ext_sampler_descriptor_t& descriptor, Sampler& sampler);

/// Reports whether a region lies within an image. z counts slices or layers, except that y counts the layers
/// of a 1DA image.
bool contains(const Image& image, const hsa_dim3_t& offset, const hsa_dim3_t& range);
/// Reports whether elements may be copied without conversion (Runtime 3.3.1.21).
bool are_copyable(const hsa_ext_image_format_t& from, const hsa_ext_image_format_t& to);

/// Moves bytes between places of which some are memory of an agent, which the host need not be able to
/// access. Places may overlap if they are the host's. An empty function stands for memmove.
using Move = std::function<hsa_status_t(void* to, const void* from, size_t size)>;

/// These four return the first error of `move`, after which some rows may have been written.
hsa_status_t copy(const Image& from, const hsa_dim3_t& from_offset, const Image& to,
                  const hsa_dim3_t& to_offset, const hsa_dim3_t& range, const Move& move = {});
/// These two copy between a region and linear memory. Pitches that are too small stand for the smallest
/// possible ones.
hsa_status_t import_region(const Image& image, const void* memory, size_t row_pitch, size_t slice_pitch,
                           const hsa_ext_image_region_t& region, const Move& move = {});
hsa_status_t export_region(const Image& image, void* memory, size_t row_pitch, size_t slice_pitch,
                           const hsa_ext_image_region_t& region, const Move& move = {});
/// Sets all elements of a region. `data` is the components in the access type of the format, which is float,
/// int32_t or uint32_t.
hsa_status_t clear(const Image& image, const void* data, const hsa_ext_image_region_t& region,
                   const Move& move = {});

}  // namespace heddle::image
