// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of sgemm_naive.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void sgemm_naive(global float *c, global const float *a, global const float *b, uint n) {
  uint column = get_global_id(0), row = get_global_id(1);
  if (column >= n || row >= n) return;
  float sum = 0;
  global const float *left = a + (size_t)row * n, *right = b + column;
  for (uint k = 0; k < n; ++k, ++left, right += n) sum = fma(*left, *right, sum);
  c[row * n + column] = sum;
}
