// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of sgemm_naive.hsail.
#include "parts.isph"

task void sgemm_naive_part(uniform float c[], const uniform float a[], const uniform float b[], uniform int n) {
  for (uniform int row = row_begin(n, taskIndex, taskCount); row < row_begin(n, taskIndex + 1, taskCount); ++row) {
    foreach (column = 0 ... n) {
      float sum = 0;
      for (uniform int k = 0; k < n; ++k) sum = a[row * n + k] * b[k * n + column] + sum;
      c[row * n + column] = sum;
    }
  }
}

export void sgemm_naive(uniform float c[], const uniform float a[], const uniform float b[], uniform int n) {
  launch[tasks] sgemm_naive_part(c, a, b, n);
}
