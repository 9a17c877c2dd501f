// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of life.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void life(global uchar *out, global const uchar *in, uint width, uint height) {
  uint x = get_global_id(0), y = get_global_id(1), pitch = width + 2;
  if (x >= width || y >= height) return;
  global const uchar *above = in + y * pitch + x, *here = above + pitch, *below = here + pitch;
  uchar neighbours = above[0] + above[1] + above[2] + here[0] + here[2] + below[0] + below[1] + below[2];
  out[(y + 1) * pitch + x + 1] = (neighbours | here[1]) == 3;
}
