// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/gaussian_blur.hsail.
#include "parts.isph"

/// Returns the pixels from `first` on. Outside of the row the pixels of its ends are repeated; only there pixels are gathered.
static inline unsigned int32 pixels(const uniform unsigned int32 row[], uniform int first, uniform int width) {
  if (first >= 0 && first + programCount <= width) return row[first + programIndex];
  return row[clamp(first + programIndex, 0, width - 1)];
}

/// width is a multiple of programCount.
task void blur_rows_part(uniform float out[], const uniform unsigned int32 source[], const uniform float weights[],
                         uniform int radius, uniform int width, uniform int height) {
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    for (uniform int x = 0; x < width; x += programCount) {
      float red = 0, green = 0, blue = 0, alpha = 0;
      for (uniform int k = -radius; k <= radius; ++k) {
        const unsigned int32 pixel = pixels(source + y * width, x + k, width);
        const uniform float weight = weights[radius + k];
        red = (float)(int)(pixel & 0xff) * weight + red;
        green = (float)(int)((pixel >> 8) & 0xff) * weight + green;
        blue = (float)(int)((pixel >> 16) & 0xff) * weight + blue;
        alpha = (float)(int)(pixel >> 24) * weight + alpha;
      }
      soa_to_aos4(red, green, blue, alpha, out + 4 * (y * width + x));
    }
  }
}

export void blur_rows(uniform float out[], const uniform unsigned int32 source[], const uniform float weights[],
                      uniform int radius, uniform int width, uniform int height) {
  launch[tasks] blur_rows_part(out, source, weights, radius, width, height);
}

static inline unsigned int32 to_byte(float value) {
  return (unsigned int32)(int)round(clamp(value, 0.0f, 255.0f));
}

/// width is a multiple of programCount.
task void blur_columns_part(uniform unsigned int32 out[], uniform float source[], const uniform float weights[],
                            uniform int radius, uniform int width, uniform int height) {
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    for (uniform int x = 0; x < width; x += programCount) {
      float red = 0, green = 0, blue = 0, alpha = 0;
      for (uniform int k = -radius; k <= radius; ++k) {
        float r, g, b, a;
        aos_to_soa4(source + 4 * (clamp(y + k, 0, height - 1) * width + x), &r, &g, &b, &a);
        const uniform float weight = weights[radius + k];
        red = r * weight + red;
        green = g * weight + green;
        blue = b * weight + blue;
        alpha = a * weight + alpha;
      }
      out[y * width + x + programIndex] =
          to_byte(red) | to_byte(green) << 8 | to_byte(blue) << 16 | to_byte(alpha) << 24;
    }
  }
}

export void blur_columns(uniform unsigned int32 out[], uniform float source[], const uniform float weights[],
                         uniform int radius, uniform int width, uniform int height) {
  launch[tasks] blur_columns_part(out, source, weights, radius, width, height);
}
