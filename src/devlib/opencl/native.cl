// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// native_* of OpenCL C 6.15.2 are HSAIL's native instructions (PRM 5.14). Those of libclc are intrinsics that say nothing of HSAIL's.

#define LOG2_E 1.44269504088896340736f
#define LOG2_10 3.32192809488736234787f
#define LN_2 0.69314718055994530942f
#define LOG10_2 0.30102999566398119521f

#define OF_ONE(NAME, EXPRESSION) \
  OVERLOAD float NAME(float x) { return EXPRESSION; } \
  VECTORIZE_1(NAME, float, float)
#define OF_TWO(NAME, EXPRESSION) \
  OVERLOAD float NAME(float x, float y) { return EXPRESSION; } \
  VECTORIZE_2(NAME, float, float)

OF_ONE(native_cos, __hsail_ncos_f32(x))
OF_ONE(native_sin, __hsail_nsin_f32(x))
OF_ONE(native_tan, __hsail_nsin_f32(x) * __hsail_nrcp_f32(__hsail_ncos_f32(x)))
OF_ONE(native_exp2, __hsail_nexp2_f32(x))
OF_ONE(native_exp, __hsail_nexp2_f32(x * LOG2_E))
OF_ONE(native_exp10, __hsail_nexp2_f32(x * LOG2_10))
OF_ONE(native_log2, __hsail_nlog2_f32(x))
OF_ONE(native_log, __hsail_nlog2_f32(x) * LN_2)
OF_ONE(native_log10, __hsail_nlog2_f32(x) * LOG10_2)
OF_ONE(native_recip, __hsail_nrcp_f32(x))
OF_ONE(native_rsqrt, __hsail_nrsqrt_f32(x))
OF_ONE(native_sqrt, __hsail_nsqrt_f32(x))
OF_TWO(native_divide, x * __hsail_nrcp_f32(y))
OF_TWO(native_powr, __hsail_nexp2_f32(y * __hsail_nlog2_f32(x)))

// libclc's exponentials and logarithms of this kind are native. Those of HSAIL promise no accuracy, and half_* have to be right to 8192 ULP.
OF_ONE(half_exp, exp(x))
OF_ONE(half_exp2, exp2(x))
OF_ONE(half_exp10, exp10(x))
OF_ONE(half_log, log(x))
OF_ONE(half_log2, log2(x))
OF_ONE(half_log10, log10(x))
OF_TWO(half_powr, powr(x, y))

// libclc takes square roots in f64 by steps from an approximation that is AMD's; HSAIL's are correctly rounded (PRM 16.2.2).
OVERLOAD double sqrt(double x) { return __hsail_sqrt_f64(x); }
VECTORIZE_1(sqrt, double, double)
