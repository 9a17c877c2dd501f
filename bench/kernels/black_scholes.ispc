// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of black_scholes.hsail.
#include "parts.isph"

static inline float exponential(float x) {
  const float n = round(x * 1.44269502f);
  float r = n * -0.693145752f + x;
  r = n * -1.42860677e-6f + r;
  float sum = r * (1.0f / 720) + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  return floatbits(intbits(sum) + ((int)n << 23));
}

static inline float logarithm(float x) {
  const int n = (int)(intbits(x) - 0x3f3504f3) >> 23;
  const float m = floatbits(intbits(x) - (n << 23));
  const float s = (m - 1.0f) / (m + 1.0f);
  const float s2 = s * s;
  float sum = s2 * (1.0f / 9) + 1.0f / 7;
  sum = sum * s2 + 1.0f / 5;
  sum = sum * s2 + 1.0f / 3;
  sum = sum * s2 + 1.0f;
  return (float)n * 0.693147182f + (s + s) * sum;
}

static inline float below(float x) {
  const float k = 1.0f / (abs(x) * 0.2316419f + 1.0f);
  float sum = k * 1.330274429f + -1.821255978f;
  sum = sum * k + 1.781477937f;
  sum = sum * k + -0.356563782f;
  sum = sum * k + 0.319381530f;
  const float density = exponential(max(abs(x) * -0.5f * abs(x), -80.0f)) * 0.398942280f;
  const float above = sum * k * density;
  return x < 0 ? above : 1.0f - above;
}

task void black_scholes_part(uniform float call[], uniform float put[], const uniform float spot[],
                             const uniform float strike[], const uniform float years[], uniform float rate,
                             uniform float volatility, uniform int n) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) {
    const float deviation = sqrt(years[i]) * volatility;
    const uniform float drift = volatility * 0.5f * volatility + rate;
    const float d1 = (drift * years[i] + logarithm(spot[i] / strike[i])) / deviation;
    const float d2 = d1 - deviation;
    const float present = strike[i] * exponential(-(rate * years[i]));
    const float price = spot[i] * below(d1) - present * below(d2);
    call[i] = price;
    put[i] = present - spot[i] + price;
  }
}

export void black_scholes(uniform float call[], uniform float put[], const uniform float spot[],
                          const uniform float strike[], const uniform float years[], uniform float rate,
                          uniform float volatility, uniform int n) {
  launch[tasks] black_scholes_part(call, put, spot, strike, years, rate, volatility, n);
}
