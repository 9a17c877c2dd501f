// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion between PNG files and buffers of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

struct Picture {
  uint32_t width, height;
  uint32_t channels;  ///< 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA; 8 bits each, in this order in memory
  std::vector<std::byte> bytes;
};

/// Converts any PNG to RGBA or, with `gray`, to brightness.
Result<Picture> decode_png(std::span<const std::byte> file, bool gray);
Result<std::vector<std::byte>> encode_png(uint32_t width, uint32_t height, uint32_t channels,
                                          std::span<const std::byte> bytes);

}  // namespace heddle::tools
