// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HIP's descriptions of textures are in the terms of HSA's images and samplers.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <memory>
#include <optional>
#include <vector>

#include "hip/core/array.h"
#include "hip/core/texture_record.h"

namespace heddle::hip {

struct ImageData {
  hsa_ext_image_descriptor_t image;
  Block memory;
};

/// What a texture reads: at least one image; the others are its further levels of detail.
struct TextureLevels {
  std::vector<ImageData> images;
  std::vector<std::shared_ptr<Array>> arrays;  ///< what the memory of the images belongs to, if to arrays
  bool is_mipmapped = false;
  bool is_cube = false;
};

/// Returns the images for a resource. Throws Failure: InvalidValue for descriptions that are wrong,
/// NotSupported for what HSA's images cannot do.
TextureLevels levels_of(const hipResourceDesc& resource, const hipTextureDesc& reading,
                        const hipResourceViewDesc* view);

/// How the elements of a texture are found.
struct TextureRules {
  /// The sampler; nullopt if kernels read elements by number alone, or if no sampler of HSA has the rules.
  std::optional<hsa_ext_sampler_descriptor_t> sampler;
  /// For textures with several levels, or with rules that no sampler has.
  std::optional<TextureRecord> record;
};

/// Throws Failure (InvalidValue).
TextureRules rules_of(const TextureLevels& levels, const hipTextureDesc& reading);

}  // namespace heddle::hip
