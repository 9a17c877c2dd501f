// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of life.hsail.
#include "parts.isph"

task void life_part(uniform unsigned int8 out[], const uniform unsigned int8 source[], uniform int width,
                    uniform int height) {
  const uniform int pitch = width + 2;
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    const uniform unsigned int8 *uniform above = source + y * pitch;
    const uniform unsigned int8 *uniform here = above + pitch;
    const uniform unsigned int8 *uniform below = here + pitch;
    foreach (x = 0 ... width) {
      const unsigned int8 neighbours =
          above[x] + above[x + 1] + above[x + 2] + here[x] + here[x + 2] + below[x] + below[x + 1] + below[x + 2];
      out[(y + 1) * pitch + x + 1] = (neighbours | here[x + 1]) == 3 ? 1 : 0;
    }
  }
}

export void life(uniform unsigned int8 out[], const uniform unsigned int8 source[], uniform int width, uniform int height) {
  launch[tasks] life_part(out, source, width, height);
}
