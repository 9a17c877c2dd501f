// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Image geometries (PRM 7.1.3) as data, generated from isa/geometries.isa. Thread safe; results are static.
namespace heddle::isa {

/// Which sizes an image of the geometry has besides its width, and what its elements contain.
struct ImageGeometry {
  uint8_t coordinates = 0;  // number of coordinates in an instruction, one for each size of the image
  bool has_height = false;
  bool has_depth = false;
  bool has_array = false;
  bool holds_depth = false;  // each element is a depth value instead of four components
};

/// Returns the description of `geometry`, an hsa_ext_brig_image_geometry_t, or null if there is no such
/// geometry.
const ImageGeometry* image_geometry(unsigned geometry);

}  // namespace heddle::isa
