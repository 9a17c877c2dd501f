// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Image geometries (PRM 7.1.3) as data, generated from isa/geometries.isa. Thread safe; results are static.
namespace heddle::isa {

/// Which sizes an image of the geometry has beside its width, and what its elements hold.
struct ImageGeometry {
  uint8_t coordinates = 0;  // that an instruction gives: as many as the image has sizes
  bool has_height = false;
  bool has_depth = false;
  bool has_array = false;
  bool holds_depth = false;  // elements are a depth each, not four components
};

/// Of hsa_ext_brig_image_geometry_t `geometry`; null if there is no such geometry.
const ImageGeometry* image_geometry(unsigned geometry);

}  // namespace heddle::isa
