// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of triad.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void triad(global float *out, global const float *b, global const float *c, float factor, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = fma(factor, c[i], b[i]);
}
