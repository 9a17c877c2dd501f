// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of transpose.hsail.
#include "parts.isph"

task void transpose_part(uniform float out[], const uniform float source[], uniform int n) {
  uniform float tile[16][17];
  for (uniform int first_row = row_begin(n / 16, taskIndex, taskCount) * 16;
       first_row < row_begin(n / 16, taskIndex + 1, taskCount) * 16; first_row += 16) {
    for (uniform int first_column = 0; first_column < n; first_column += 16) {
      for (uniform int y = 0; y < 16; ++y) {
        foreach (x = 0 ... 16) tile[y][x] = source[(first_row + y) * n + first_column + x];
      }
      for (uniform int y = 0; y < 16; ++y) {
        foreach (x = 0 ... 16) out[(first_column + y) * n + first_row + x] = tile[x][y];
      }
    }
  }
}

export void transpose(uniform float out[], const uniform float source[], uniform int n) {
  launch[tasks] transpose_part(out, source, n);
}
