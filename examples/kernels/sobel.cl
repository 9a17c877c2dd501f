// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges of a picture: the length of the Sobel gradient of its brightness.

// Brightness, 0 .. 255, of the pixel at (x, y) of an RGBA picture; coordinates outside it are moved to its border.
int brightness(global const uchar4* picture, int x, int y, int width, int height) {
  const uchar4 pixel = picture[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
  return (pixel.x * 77 + pixel.y * 150 + pixel.z * 29) >> 8;  // 0.299, 0.587 and 0.114 in units of 1 / 256
}

// Grid: at least width x height work-items. Any work-group size.
kernel void sobel(global uchar* out, global const uchar4* in, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  int2 gradient = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int luma = brightness(in, x + dx, y + dy, width, height);
      gradient += (int2)(dx * (2 - abs(dy)), dy * (2 - abs(dx))) * luma;
    }
  const float steepness = sqrt((float)(gradient.x * gradient.x + gradient.y * gradient.y));
  out[y * width + x] = convert_uchar_sat_rte(steepness);  // steeper edges than 255 are white
}
