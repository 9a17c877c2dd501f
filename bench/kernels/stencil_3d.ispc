// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of stencil_3d.hsail.
#include "parts.isph"

task void stencil_3d_part(uniform float out[], const uniform float source[], uniform int width, uniform int height,
                          uniform int depth, uniform float own, uniform float other) {
  const uniform int layer = width * height, layers = depth - 2;
  for (uniform int z = 1 + row_begin(layers, taskIndex, taskCount); z < 1 + row_begin(layers, taskIndex + 1, taskCount); ++z) {
    for (uniform int y = 1; y < height - 1; ++y) {
      const uniform float *uniform here = source + (z * height + y) * width;
      const uniform float *uniform above = here - width, *uniform below = here + width;
      const uniform float *uniform before = here - layer, *uniform behind = here + layer;
      foreach (x = 1 ... width - 1) {
        const float sum = here[x - 1] + here[x + 1] + (above[x] + below[x]) + (before[x] + behind[x]);
        out[(z * height + y) * width + x] = here[x] * own + sum * other;
      }
    }
  }
}

export void stencil_3d(uniform float out[], const uniform float source[], uniform int width, uniform int height,
                       uniform int depth, uniform float own, uniform float other) {
  launch[tasks] stencil_3d_part(out, source, width, height, depth, own, other);
}
