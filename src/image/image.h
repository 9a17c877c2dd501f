// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of instructions and of the runtime on images and samplers in memory (PRM 7.1). One
// implementation serves all agents that have no image hardware, or whose hardware lacks a format. The
// structures to which handles point belong to the interface of agent drivers (hsam/image.h). Nothing here has
// state, so all functions may be called from all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <hsa/hsa_ext_image.h>
#include <hsam/image.h>

namespace heddle::image {

/// Which sizes and coordinates a geometry has (PRM 7.1.3).
struct GeometryShape {
  uint8_t dimensions;  ///< 1 to 3: width, height, depth
  bool layers;         ///< an array, which has one more coordinate behind the others
  bool holds_depth;    ///< each element is one depth instead of four components
};
/// Returns the shape of an hsa_ext_image_geometry_t, or nothing if the number is not a geometry.
std::optional<GeometryShape> shape_of(uint32_t geometry);

/// Returns the bytes of one element of a format (bpp / 8), or nothing if PRM Table 7-4 does not allow the
/// combination of channel type and order for any geometry.
std::optional<uint32_t> element_size(const hsa_ext_image_format_t& format);
/// Reports whether PRM Table 7-4 allows images of this geometry and format.
bool is_legal(uint32_t geometry, const hsa_ext_image_format_t& format);

/// The structures whose addresses are the handles that kernels use. The runtime makes them and agents read
/// them.
using Image = hsam_image;
using Sampler = hsam_sampler;

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

// ---- what instructions do ----

/// The type of components in registers.
enum class AccessType : uint8_t { u32, s32, f16, f32 };
enum class CoordinateType : uint8_t { u32, s32, f32 };

/// The components r, g, b and a as bits of the access type, where an f16 is in the low half. Depth geometries
/// use only the first.
struct Texel {
  uint32_t component[4];
};
/// As many coordinates as the geometry has, as bits. The layer of an array is the last one.
using Coordinates = const uint32_t*;

/// Performs rdimage (PRM 7.2). Coordinates that the sampler leaves undefined read the nearest element.
Texel read(const Image& image, const Sampler& sampler, AccessType type, CoordinateType coordinate_type,
           Coordinates coordinates);
/// Performs ldimage (PRM 7.3). Elements outside of the image read as the border colour.
Texel load(const Image& image, AccessType type, Coordinates coordinates);
/// Performs stimage (PRM 7.4). Elements outside of the image are not stored.
void store(const Image& image, AccessType type, Coordinates coordinates, const Texel& texel);
/// Perform queryimage and querysampler (PRM 7.5). `property` is an hsa_ext_brig_image_query_t or an
/// hsa_ext_brig_sampler_query_t.
uint32_t query(const Image& image, uint32_t property);
uint32_t query(const Sampler& sampler, uint32_t property);

// ---- what the runtime does ----

/// Reports whether a region lies within an image. z counts slices or layers, except that y counts the layers
/// of a 1DA image.
bool contains(const Image& image, const hsa_dim3_t& offset, const hsa_dim3_t& range);
/// Reports whether elements may be copied without conversion (Runtime 3.3.1.21).
bool are_copyable(const hsa_ext_image_format_t& from, const hsa_ext_image_format_t& to);
void copy(const Image& from, const hsa_dim3_t& from_offset, const Image& to, const hsa_dim3_t& to_offset,
          const hsa_dim3_t& range);
/// These two copy between a region and linear memory. Pitches that are too small stand for the smallest
/// possible ones.
void import_region(const Image& image, const void* memory, size_t row_pitch, size_t slice_pitch,
                   const hsa_ext_image_region_t& region);
void export_region(const Image& image, void* memory, size_t row_pitch, size_t slice_pitch,
                   const hsa_ext_image_region_t& region);
/// Sets all elements of a region. `data` is the components in the access type of the format, which is float,
/// int32_t or uint32_t.
void clear(const Image& image, const void* data, const hsa_ext_image_region_t& region);

}  // namespace heddle::image
