// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of dgemm.hsail.
#include "parts.isph"

task void dgemm_part(uniform double c[], const uniform double a[], const uniform double b[], uniform int n) {
  for (uniform int row = row_begin(n, taskIndex, taskCount); row < row_begin(n, taskIndex + 1, taskCount); ++row) {
    foreach (column = 0 ... n) {
      double sum = 0;
      for (uniform int k = 0; k < n; ++k) sum = a[row * n + k] * b[k * n + column] + sum;
      c[row * n + column] = sum;
    }
  }
}

export void dgemm(uniform double c[], const uniform double a[], const uniform double b[], uniform int n) {
  launch[tasks] dgemm_part(c, a, b, n);
}
