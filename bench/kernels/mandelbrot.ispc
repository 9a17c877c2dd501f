// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/mandelbrot.hsail.
#include "parts.isph"

static inline unsigned int32 escape_time(float c_re, float c_im, uniform unsigned int32 limit) {
  float re = 0, im = 0;
  unsigned int32 steps = 0;
  for (; steps < limit; ++steps) {
    const float re2 = re * re, im2 = im * im;
    if (re2 + im2 > 4.0f) break;
    im = (re + re) * im + c_im;
    re = re2 - im2 + c_re;
  }
  return steps;
}

task void mandelbrot_part(uniform unsigned int32 out[], uniform int width, uniform int height, uniform float left,
                          uniform float top, uniform float step, uniform unsigned int32 limit) {
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    foreach (x = 0 ... width) {
      out[y * width + x] = escape_time((float)x * step + left, (uniform float)y * step + top, limit);
    }
  }
}

export void mandelbrot(uniform unsigned int32 out[], uniform int width, uniform int height, uniform float left,
                       uniform float top, uniform float step, uniform unsigned int32 limit) {
  launch[4 * tasks] mandelbrot_part(out, width, height, left, top, step, limit);
}
