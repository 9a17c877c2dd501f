// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/sobel.hsail.
#include "parts.isph"

/// Returns the brightness of the pixels of a row from `first` on. Outside of the row the pixels of its ends are repeated; only
/// there pixels are gathered.
static inline int brightness(const uniform unsigned int32 row[], uniform int first, uniform int width) {
  unsigned int32 pixel;
  if (first >= 0 && first + programCount <= width)
    pixel = row[first + programIndex];
  else
    pixel = row[clamp(first + programIndex, 0, width - 1)];
  return (int)((pixel & 0xff) * 77 + ((pixel >> 8) & 0xff) * 150 + ((pixel >> 16) & 0xff) * 29) >> 8;
}

task void sobel_part(uniform unsigned int8 out[], const uniform unsigned int32 source[], uniform int width,
                     uniform int height) {
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    for (uniform int x = 0; x < width; x += programCount) {
      int gradient_x = 0, gradient_y = 0;
      for (uniform int dy = -1; dy <= 1; ++dy) {
        const uniform unsigned int32 *uniform row = source + clamp(y + dy, 0, height - 1) * width;
        for (uniform int dx = -1; dx <= 1; ++dx) {
          const int luma = brightness(row, x + dx, width);
          gradient_x += dx * (2 - abs(dy)) * luma;
          gradient_y += dy * (2 - abs(dx)) * luma;
        }
      }
      const float length = sqrt((float)(gradient_x * gradient_x + gradient_y * gradient_y));
      const unsigned int8 edge = (unsigned int8)(int)round(min(length, 255.0f));
      if (x + programIndex < width) out[y * width + x + programIndex] = edge;
    }
  }
}

export void sobel(uniform unsigned int8 out[], const uniform unsigned int32 source[], uniform int width, uniform int height) {
  launch[tasks] sobel_part(out, source, width, height);
}
