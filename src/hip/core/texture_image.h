// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HIP's descriptions of textures are in the terms of HSA's images and samplers.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <optional>

#include "hip/core/array.h"

namespace heddle::hip {

struct ImageData {
  hsa_ext_image_descriptor_t image;
  Block memory;
};

/// Returns the image for a resource; `array` is the resource's, if it has one. Throws Failure: InvalidValue
/// for descriptions that are wrong, NotSupported for what HSA's images cannot do.
ImageData image_of(const hipResourceDesc& resource, const Array* array, const hipTextureDesc& reading,
                   const hipResourceViewDesc* view);

/// Returns the sampler for images of a geometry; nullopt for one whose elements kernels read by number alone.
/// Throws Failure (InvalidValue, NotSupported).
std::optional<hsa_ext_sampler_descriptor_t> sampler_of(hsa_ext_image_geometry_t geometry,
                                                       const hipTextureDesc& reading);

}  // namespace heddle::hip
