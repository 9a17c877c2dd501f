// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of black_scholes.hsail.
#pragma OPENCL FP_CONTRACT OFF

float exponential(float x) {
  float n = rint(x * 0x1.715476p+0f);
  float r = fma(n, -0x1.62e4p-1f, x);
  r = fma(n, -0x1.7f7d1cp-20f, r);
  float sum = fma(r, 1.0f / 720, 1.0f / 120);
  sum = fma(sum, r, 1.0f / 24);
  sum = fma(sum, r, 1.0f / 6);
  sum = fma(sum, r, 0.5f);
  sum = fma(sum, r, 1.0f);
  sum = fma(sum, r, 1.0f);
  return as_float(as_uint(sum) + ((uint)convert_int_rte(n) << 23));
}

float logarithm(float x) {
  int n = as_int(as_uint(x) - 0x3f3504f3u) >> 23;
  float m = as_float(as_uint(x) - ((uint)n << 23));
  float s = (m - 1.0f) / (m + 1.0f), s2 = s * s;
  float sum = fma(s2, 1.0f / 9, 1.0f / 7);
  sum = fma(sum, s2, 1.0f / 5);
  sum = fma(sum, s2, 1.0f / 3);
  sum = fma(sum, s2, 1.0f);
  return fma((float)n, 0x1.62e43p-1f, (s + s) * sum);
}

float below(float x) {
  float k = 1.0f / fma(fabs(x), 0.2316419f, 1.0f);
  float sum = fma(k, 1.330274429f, -1.821255978f);
  sum = fma(sum, k, 1.781477937f);
  sum = fma(sum, k, -0.356563782f);
  sum = fma(sum, k, 0.319381530f);
  float density = exponential(fmax(fabs(x) * -0.5f * fabs(x), -80.0f)) * 0.398942280f;
  float above = sum * k * density;
  return x < 0 ? above : 1.0f - above;
}

kernel void black_scholes(global float *call, global float *put, global const float *spot, global const float *strike,
                          global const float *years, float rate, float volatility, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float deviation = sqrt(years[i]) * volatility;
  float drift = fma(volatility * 0.5f, volatility, rate);
  float d1 = fma(drift, years[i], logarithm(spot[i] / strike[i])) / deviation;
  float d2 = d1 - deviation;
  float present = strike[i] * exponential(-(rate * years[i]));
  float price = fma(spot[i], below(d1), -(present * below(d2)));
  call[i] = price;
  put[i] = present - spot[i] + price;
}
