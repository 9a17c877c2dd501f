// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of stencil_2d.hsail.
#include "parts.isph"

task void stencil_2d_part(uniform float out[], const uniform float source[], uniform int width, uniform int height,
                          uniform float rate) {
  const uniform int rows = height - 2;
  for (uniform int y = 1 + row_begin(rows, taskIndex, taskCount); y < 1 + row_begin(rows, taskIndex + 1, taskCount); ++y) {
    const uniform float *uniform here = source + y * width;
    const uniform float *uniform above = here - width, *uniform below = here + width;
    foreach (x = 1 ... width - 1) {
      const float flow = here[x - 1] + here[x + 1] + (above[x] + below[x]);
      out[y * width + x] = rate * (here[x] * -4.0f + flow) + here[x];
    }
  }
}

export void stencil_2d(uniform float out[], const uniform float source[], uniform int width, uniform int height,
                       uniform float rate) {
  launch[tasks] stencil_2d_part(out, source, width, height, rate);
}
