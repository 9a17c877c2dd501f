// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of stencil_3d.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil_3d(global float *out, global const float *in, uint width, uint height, uint depth, float own,
                       float other) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= width - 2 || y >= height - 2 || z >= depth - 2) return;
  uint layer = width * height, i = ((z + 1) * height + y + 1) * width + x + 1;
  global const float *here = in + i;
  float sum = here[-1] + here[1] + (*(here - width) + here[width]) + (*(here - layer) + here[layer]);
  out[i] = fma(*here, own, sum * other);
}
