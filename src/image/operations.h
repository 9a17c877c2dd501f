// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of instructions on images and samplers in memory (PRM 7.1). One implementation serves all
// agents: those on the host call it, and kernels of GPUs contain what they use of it (src/devlib). The
// structures to which handles point belong to the interface of agent drivers (hsam/image.h). Nothing here has
// state, so all functions may be called from all threads.
#pragma once

#include "image/portable.h"

namespace heddle::image {

/// Which sizes and coordinates a geometry has (PRM 7.1.3).
struct GeometryShape {
  uint8_t dimensions;  ///< 1 to 3: width, height, depth
  bool layers;         ///< an array, which has one more coordinate behind the others
  bool holds_depth;    ///< each element is one depth instead of four components
};

/// The structures whose addresses are the handles that kernels use. The runtime makes them and agents read
/// them.
using Image = hsam_image;
using Sampler = hsam_sampler;

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
/// `shape` is that of the image's geometry here and below; a caller who knows it lets the compiler know it.
Texel read(GeometryShape shape, const Image& image, const Sampler& sampler, AccessType type,
           CoordinateType coordinate_type, Coordinates coordinates);
/// Performs ldimage (PRM 7.3). Elements outside of the image read as the border colour.
Texel load(GeometryShape shape, const Image& image, AccessType type, Coordinates coordinates);
/// Performs stimage (PRM 7.4). Elements outside of the image are not stored.
void store(GeometryShape shape, const Image& image, AccessType type, Coordinates coordinates,
           const Texel& texel);
/// These find the shape in the image.
Texel read(const Image& image, const Sampler& sampler, AccessType type, CoordinateType coordinate_type,
           Coordinates coordinates);
Texel load(const Image& image, AccessType type, Coordinates coordinates);
void store(const Image& image, AccessType type, Coordinates coordinates, const Texel& texel);
/// Perform queryimage and querysampler (PRM 7.5). `property` is an hsa_ext_brig_image_query_t or an
/// hsa_ext_brig_sampler_query_t.
uint32_t query(const Image& image, uint32_t property);
uint32_t query(const Sampler& sampler, uint32_t property);

}  // namespace heddle::image
