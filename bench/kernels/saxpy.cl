// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of saxpy.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(global float *y, global const float *x, float a, uint n) {
  uint i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}
