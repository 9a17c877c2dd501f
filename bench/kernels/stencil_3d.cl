// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of stencil_3d.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil_3d(global float *out, global const float *in, uint width, uint height, uint depth, float own,
                       float other) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x - 1 >= width - 2 || y - 1 >= height - 2 || z - 1 >= depth - 2) return;
  uint layer = width * height, i = (z * height + y) * width + x;
  float sum = in[i - 1] + in[i + 1] + (in[i - width] + in[i + width]) + (in[i - layer] + in[i + layer]);
  out[i] = fma(in[i], own, sum * other);
}
