// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of dgemm.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void dgemm(global double *c, global const double *a, global const double *b, uint n) {
  uint column = get_global_id(0), row = get_global_id(1);
  if (column >= n || row >= n) return;
  double sum = 0;
  for (uint k = 0; k < n; ++k) sum = fma(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}
