// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/sobel.hsail.
#pragma OPENCL FP_CONTRACT OFF

int brightness(global const uchar4 *picture, int x, int y, int width, int height) {
  uchar4 pixel = picture[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
  return (pixel.x * 77 + pixel.y * 150 + pixel.z * 29) >> 8;
}

kernel void sobel(global uchar *out, global const uchar4 *in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  int gradient_x = 0, gradient_y = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int luma = brightness(in, x + dx, y + dy, width, height);
      gradient_x += dx * (2 - (int)abs(dy)) * luma;
      gradient_y += dy * (2 - (int)abs(dx)) * luma;
    }
  }
  out[y * width + x] = convert_uchar_sat_rte(sqrt((float)(gradient_x * gradient_x + gradient_y * gradient_y)));
}
