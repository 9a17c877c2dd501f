// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of stencil_2d.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil_2d(global float *out, global const float *in, uint width, uint height, float rate) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width - 2 || y >= height - 2) return;
  uint i = (y + 1) * width + x + 1;
  global const float *here = in + i;
  float flow = here[-1] + here[1] + (*(here - width) + here[width]);
  out[i] = fma(rate, fma(*here, -4.0f, flow), *here);
}
