// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures in memory and PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/** Rows from the top, pixels from the left. Each pixel is R, G, B, A of 8 bits, with R in the lowest byte. */
struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint32_t> pixels;
};

/** Reads every kind of PNG as RGBA. Throws Error. */
Picture read_png(const std::string& path);
void write_png(const std::string& path, uint32_t width, uint32_t height, const uint32_t* rgba);
void write_png_gray(const std::string& path, uint32_t width, uint32_t height, const uint8_t* gray);

/** Returns every step-th pixel of every step-th row. */
Picture thin_out(const Picture& picture, uint32_t step);

}  // namespace examples
