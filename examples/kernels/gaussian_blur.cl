// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A separable Gaussian blur: rows first, then columns. Pixels are RGBA with 8 bits for each channel; between the two
// passes they are four f32, so that nothing is rounded twice. Pixels outside the picture repeat its border.

// Grid: at least width x height work-items. Any work-group size.
// weights[radius + k] is the weight of the pixel at distance k, -radius <= k <= radius.
kernel void blur_rows(global float4* out, global const uchar4* in, global const float* weights, int radius, int width,
                      int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const uchar4 pixel = in[y * width + clamp(x + k, 0, width - 1)];
    sum = fma(convert_float4(pixel), (float4)weights[radius + k], sum);
  }
  out[y * width + x] = sum;
}

// Blurs along y, from floats back to bytes.
kernel void blur_columns(global uchar4* out, global const float4* in, global const float* weights, int radius, int width,
                         int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum = fma(in[clamp(y + k, 0, height - 1) * width + x], (float4)weights[radius + k], sum);
  out[y * width + x] = convert_uchar4_sat_rte(sum);
}
