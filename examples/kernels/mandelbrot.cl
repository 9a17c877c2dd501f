// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Escape times of the Mandelbrot set: a loop that every work-item leaves at its own time.

#pragma OPENCL FP_CONTRACT OFF

// Grid: at least width x height work-items. Any work-group size.
// out[y][x] is the number of steps of z = z * z + c, at most limit, during which |z| <= 2, where
// c = (left + x * step, top + y * step).
kernel void mandelbrot(global uint* out, uint width, uint height, float left, float top, float step, uint limit) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float c_re = fma((float)x, step, left), c_im = fma((float)y, step, top);
  float re = 0, im = 0;
  uint steps = 0;
  while (steps < limit) {
    const float re2 = re * re, im2 = im * im;
    if (re2 + im2 > 4.0f) break;
    im = fma(re + re, im, c_im);
    re = re2 - im2 + c_re;
    ++steps;
  }
  out[y * width + x] = steps;
}
