// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/matmul.hsail.
#include "parts.isph"

/// Computes one tile of C, as a work-group does.
task void matmul_tile(uniform float c[], const uniform float a[], const uniform float b[], uniform int n) {
  uniform float tile_a[16][16], tile_b[16][16], sums[16][16];
  const uniform int first_row = taskIndex1 * 16, first_column = taskIndex0 * 16;
  for (uniform int y = 0; y < 16; ++y) {
    foreach (x = 0 ... 16) sums[y][x] = 0;
  }
  for (uniform int tile = 0; tile < n; tile += 16) {
    for (uniform int y = 0; y < 16; ++y) {
      foreach (x = 0 ... 16) {
        tile_a[y][x] = a[(first_row + y) * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + first_column + x];
      }
    }
    for (uniform int y = 0; y < 16; ++y) {
      foreach (x = 0 ... 16) {
        float sum = sums[y][x];
        for (uniform int k = 0; k < 16; ++k) sum = tile_a[y][k] * tile_b[k][x] + sum;
        sums[y][x] = sum;
      }
    }
  }
  for (uniform int y = 0; y < 16; ++y) {
    foreach (x = 0 ... 16) c[(first_row + y) * n + first_column + x] = sums[y][x];
  }
}

export void matmul(uniform float c[], const uniform float a[], const uniform float b[], uniform int n) {
  launch[n / 16, n / 16] matmul_tile(c, a, b, n);
}
