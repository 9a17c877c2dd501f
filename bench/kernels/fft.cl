// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of fft.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void fft_pass(global float *out_re, global float *out_im, global const float *in_re, global const float *in_im,
                     global const float *root_re, global const float *root_im, uint n, uint stride) {
  uint i = get_global_id(0), quarter = n / 4;
  if (i >= quarter) return;
  float2 in[4];
  in_re += i;
  in_im += i;
  for (uint k = 0; k < 4; ++k, in_re += quarter, in_im += quarter) in[k] = (float2)(*in_re, *in_im);
  float2 a = in[0], b = in[1], c = in[2], d = in[3];
  float2 a_plus_c = a + c, a_minus_c = a - c, b_plus_d = b + d;
  float2 turned = (float2)(d.y - b.y, b.x - d.x);  // i * (b - d)
  float2 results[4] = {a_plus_c + b_plus_d, a_minus_c - turned, a_plus_c - b_plus_d, a_minus_c + turned};
  uint rest = i & (stride - 1), t = i - rest;
  out_re += 4 * t + rest;
  out_im += 4 * t + rest;
  *out_re = results[0].x;
  *out_im = results[0].y;
  for (uint k = 1; k < 4; ++k) {
    root_re += t;
    root_im += t;
    out_re += stride;
    out_im += stride;
    *out_re = fma(results[k].x, *root_re, -(results[k].y * *root_im));
    *out_im = fma(results[k].x, *root_im, results[k].y * *root_re);
  }
}
