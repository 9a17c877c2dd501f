// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of fft.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void fft_pass(global float *out_re, global float *out_im, global const float *in_re, global const float *in_im,
                     global const float *root_re, global const float *root_im, uint n, uint stride) {
  uint i = get_global_id(0), quarter = n / 4;
  if (i >= quarter) return;
  float2 a = (float2)(in_re[i], in_im[i]);
  float2 b = (float2)(in_re[i + quarter], in_im[i + quarter]);
  float2 c = (float2)(in_re[i + 2 * quarter], in_im[i + 2 * quarter]);
  float2 d = (float2)(in_re[i + 3 * quarter], in_im[i + 3 * quarter]);
  float2 a_plus_c = a + c, a_minus_c = a - c, b_plus_d = b + d;
  float2 turned = (float2)(d.y - b.y, b.x - d.x);  // i * (b - d)
  float2 results[4] = {a_plus_c + b_plus_d, a_minus_c - turned, a_plus_c - b_plus_d, a_minus_c + turned};
  uint rest = i & (stride - 1), t = i - rest, j = 4 * t + rest;
  out_re[j] = results[0].x;
  out_im[j] = results[0].y;
  for (uint k = 1; k < 4; ++k) {
    float re = root_re[k * t], im = root_im[k * t];
    out_re[j + k * stride] = fma(results[k].x, re, -(results[k].y * im));
    out_im[j + k * stride] = fma(results[k].x, im, results[k].y * re);
  }
}
