// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels read of a texture besides the handles of an image and a sampler.
#pragma once

#include <cstdint>

namespace heddle::hip {

/// Where a texture object has what, in words of 32 bits. Handles and addresses take two.
enum TextureWord : unsigned {
  image_word = 0,
  /// The image for reads of one dimension, which HIP allows for arrays with a single row, too.
  image_1d_word = 2,
  /// The address of a TextureRecord; 0 if the handles say everything, as for most textures.
  record_word = 4,
};

/// A texture with several levels, or with rules for coordinates that no sampler of HSA has: then the object
/// has no sampler, and the device library computes which elements are read
/// (src/devlib/opencl/hip_textures.cl has the same structure). The handles of the levels follow, and then
/// those for reads of one dimension.
struct TextureRecord {
  uint32_t is_linear, is_normalized;
  uint32_t levels;
  uint32_t levels_are_linear;  ///< whether reads are between two levels
  uint32_t address_modes[3];   ///< hsa_ext_sampler_addressing_mode_t of each dimension
  uint32_t has_rules;          ///< whether there is no sampler
  float level_bias, least_level, greatest_level, reserved;
  float border[4];
};
static_assert(sizeof(TextureRecord) % sizeof(uint64_t) == 0, "handles of 64 bits follow");

}  // namespace heddle::hip
