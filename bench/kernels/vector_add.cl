// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/vector_add.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void vector_add(global float *out, global const float *a, global const float *b, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = a[i] + b[i];
}
