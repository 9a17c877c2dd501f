// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of spmv.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void spmv(global float *y, global const uint *begin, global const uint *columns, global const float *values,
                 global const float *x, uint rows) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (uint i = begin[row], end = begin[row + 1]; i < end; ++i) sum = fma(values[i], x[columns[i]], sum);
  y[row] = sum;
}
