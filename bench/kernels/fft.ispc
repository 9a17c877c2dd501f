// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of fft.hsail.
#include "parts.isph"

/// Turns a complex number by a root and stores it.
#define STORE_TURNED(re, im, root, index)                                                 \
  out_re[index] = (re)*root_re[root] - (im)*root_im[root];                                \
  out_im[index] = (re)*root_im[root] + (im)*root_re[root]

/// The butterflies i with t = i - i % stride and j = 4 * t + i % stride.
#define BUTTERFLY(i, t, j)                                                                 \
  const float a_re = in_re[i], b_re = in_re[(i) + quarter];                                \
  const float c_re = in_re[(i) + 2 * quarter], d_re = in_re[(i) + 3 * quarter];            \
  const float a_im = in_im[i], b_im = in_im[(i) + quarter];                                \
  const float c_im = in_im[(i) + 2 * quarter], d_im = in_im[(i) + 3 * quarter];            \
  const float ac_re = a_re + c_re, ac_im = a_im + c_im, a_c_re = a_re - c_re, a_c_im = a_im - c_im; \
  const float bd_re = b_re + d_re, bd_im = b_im + d_im, b_d_re = b_re - d_re, b_d_im = b_im - d_im; \
  out_re[j] = ac_re + bd_re;                                                               \
  out_im[j] = ac_im + bd_im;                                                               \
  STORE_TURNED(a_c_re + b_d_im, a_c_im - b_d_re, t, (j) + stride);                         \
  STORE_TURNED(ac_re - bd_re, ac_im - bd_im, 2 * (t), (j) + 2 * stride);                   \
  STORE_TURNED(a_c_re - b_d_im, a_c_im + b_d_re, 3 * (t), (j) + 3 * stride)

/// The program instances share t, and store side by side, if the stride is at least programCount.
task void fft_part(uniform float out_re[], uniform float out_im[], const uniform float in_re[],
                   const uniform float in_im[], const uniform float root_re[], const uniform float root_im[],
                   uniform int n, uniform int stride) {
  const uniform int quarter = n / 4;
  const uniform int begin = part_begin(quarter, taskIndex, taskCount), end = part_begin(quarter, taskIndex + 1, taskCount);
  if (stride >= programCount && end % programCount == 0) {
    for (uniform int first = begin; first < end; first += programCount) {
      const uniform int rest = first & (stride - 1);
      const uniform int t = first - rest;
      const int i = first + programIndex, j = 4 * t + rest + programIndex;
      BUTTERFLY(i, t, j);
    }
  } else {
    foreach (i = begin ... end) {
      const int rest = i & (stride - 1);
      const int t = i - rest;
      const int j = 4 * t + rest;
      BUTTERFLY(i, t, j);
    }
  }
}

export void fft_pass(uniform float out_re[], uniform float out_im[], const uniform float in_re[],
                     const uniform float in_im[], const uniform float root_re[], const uniform float root_im[],
                     uniform int n, uniform int stride) {
  launch[tasks] fft_part(out_re, out_im, in_re, in_im, root_re, root_im, n, stride);
}
