// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/gaussian_blur.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void blur_rows(global float4 *out, global const uchar4 *in, global const float *weights, int radius, int width,
                      int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    sum = fma(convert_float4(in[y * width + clamp(x + k, 0, width - 1)]), (float4)weights[radius + k], sum);
  }
  out[y * width + x] = sum;
}

kernel void blur_columns(global uchar4 *out, global const float4 *in, global const float *weights, int radius, int width,
                         int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    sum = fma(in[clamp(y + k, 0, height - 1) * width + x], (float4)weights[radius + k], sum);
  }
  out[y * width + x] = convert_uchar4_sat_rte(sum);
}
