// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/mandelbrot.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *out, uint width, uint height, float left, float top, float step, uint limit) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float c_re = fma((float)x, step, left), c_im = fma((float)y, step, top);
  float re = 0, im = 0;
  uint steps = 0;
  for (; steps < limit; ++steps) {
    float re2 = re * re, im2 = im * im;
    if (re2 + im2 > 4.0f) break;
    im = fma(re + re, im, c_im);
    re = re2 - im2 + c_re;
  }
  out[y * width + x] = steps;
}
