// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __ocml_*, the mathematical functions that clang's headers for HIP declare, over those of OpenCL C. Pointers are to private memory.

#define OCML_1(NAME, EXPRESSION_OF_X) \
  float __ocml_##NAME##_f32(float x) { return EXPRESSION_OF_X; } \
  double __ocml_##NAME##_f64(double x) { return EXPRESSION_OF_X; }
#define OCML_2(NAME, EXPRESSION) \
  float __ocml_##NAME##_f32(float x, float y) { return EXPRESSION; } \
  double __ocml_##NAME##_f64(double x, double y) { return EXPRESSION; }
#define SAME_1(NAME) OCML_1(NAME, NAME(x))
#define SAME_2(NAME) OCML_2(NAME, NAME(x, y))

SAME_1(acos) SAME_1(acosh) SAME_1(asin) SAME_1(asinh) SAME_1(atan) SAME_1(atanh) SAME_1(cbrt) SAME_1(ceil) SAME_1(cos) SAME_1(cosh)
SAME_1(cospi) SAME_1(erf) SAME_1(erfc) SAME_1(exp) SAME_1(exp10) SAME_1(exp2) SAME_1(expm1) SAME_1(fabs) SAME_1(floor) SAME_1(lgamma)
SAME_1(log) SAME_1(log10) SAME_1(log1p) SAME_1(log2) SAME_1(logb) SAME_1(rint) SAME_1(round) SAME_1(rsqrt) SAME_1(sin) SAME_1(sinh)
SAME_1(sinpi) SAME_1(tan) SAME_1(tanh) SAME_1(tgamma) SAME_1(trunc)
OCML_1(nearbyint, rint(x))
OCML_1(rcbrt, 1 / cbrt(x))
SAME_2(atan2) SAME_2(copysign) SAME_2(fdim) SAME_2(fmax) SAME_2(fmin) SAME_2(fmod) SAME_2(hypot) SAME_2(nextafter) SAME_2(pow)
SAME_2(remainder)

// The normal distribution. Twice the bits keep the rounding of x / sqrt(2) out of the f32 result.
#define SQRT_HALF 0x1.6a09e667f3bcdp-1
#define SQRT_HALF_REST -0x1.bdd3413b26456p-55  // sqrt(1/2) - SQRT_HALF
float __ocml_ncdf_f32(float x) { return (float)(0.5 * erfc((double)x * -SQRT_HALF)); }
// erfc falls so steeply that it would make the rounding of x / sqrt(2) hundreds of times as large; the derivative corrects that.
double __ocml_ncdf_f64(double x) {
  const double at = x * -SQRT_HALF;
  const double rest = fma(x, -SQRT_HALF, -at) - x * SQRT_HALF_REST;
  const double correction = isfinite(x) ? rest * M_2_SQRTPI * exp(-at * at) : 0;
  return 0.5 * (erfc(at) - correction);
}

CONSTANT_IN_WORK_ITEM float __hsail_sqrt_f32(float);
float __ocml_sqrt_f32(float x) { return __hsail_sqrt_f32(x); }
double __ocml_sqrt_f64(double x) { return __hsail_sqrt_f64(x); }

#define CLASSIFICATION(NAME) \
  int __ocml_##NAME##_f32(float x) { return NAME(x); } \
  int __ocml_##NAME##_f64(double x) { return NAME(x); }
CLASSIFICATION(isfinite)
CLASSIFICATION(isinf)
CLASSIFICATION(isnan)
CLASSIFICATION(signbit)
CLASSIFICATION(ilogb)

// Functions with other arguments.
#define OCML_OTHERS(T, SUFFIX) \
  T __ocml_fma_##SUFFIX(T x, T y, T z) { return fma(x, y, z); } \
  T __ocml_frexp_##SUFFIX(T x, private int* exponent) { return frexp(x, exponent); } \
  T __ocml_ldexp_##SUFFIX(T x, int n) { return ldexp(x, n); } \
  T __ocml_scalbn_##SUFFIX(T x, int n) { return ldexp(x, n); } \
  T __ocml_scalb_##SUFFIX(T x, T n) { return isnan(n) ? n : ldexp(x, convert_int_sat(n)); } \
  T __ocml_modf_##SUFFIX(T x, private T* whole) { return modf(x, whole); } \
  T __ocml_pown_##SUFFIX(T x, int n) { return pown(x, n); } \
  T __ocml_remquo_##SUFFIX(T x, T y, private int* quotient) { return remquo(x, y, quotient); } \
  T __ocml_sincos_##SUFFIX(T x, private T* cosine) { return sincos(x, cosine); } \
  T __ocml_sincospi_##SUFFIX(T x, private T* cosine) { \
    *cosine = cospi(x); \
    return sinpi(x); \
  } \
  T __ocml_len3_##SUFFIX(T x, T y, T z) { return length_##SUFFIX(x, y, z, 0); } \
  T __ocml_len4_##SUFFIX(T x, T y, T z, T w) { return length_##SUFFIX(x, y, z, w); } \
  T __ocml_rhypot_##SUFFIX(T x, T y) { return inverse_length_##SUFFIX(x, y, 0, 0); } \
  T __ocml_rlen3_##SUFFIX(T x, T y, T z) { return inverse_length_##SUFFIX(x, y, z, 0); } \
  T __ocml_rlen4_##SUFFIX(T x, T y, T z, T w) { return inverse_length_##SUFFIX(x, y, z, w); }

// Lengths of vectors. One that has an infinite element is infinite, whatever the others are.
#define GREATEST(x, y, z, w) fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)))

// Squares of f32 neither overflow nor vanish in f64.
static double square_of_length_f32(float x, float y, float z, float w) {
  if (isinf(GREATEST(x, y, z, w))) return INFINITY;
  return (double)x * x + (double)y * y + (double)z * z + (double)w * w;
}
static float length_f32(float x, float y, float z, float w) { return (float)sqrt(square_of_length_f32(x, y, z, w)); }
static float inverse_length_f32(float x, float y, float z, float w) {
  return (float)(1 / sqrt(square_of_length_f32(x, y, z, w)));
}

// Those of f64 do, and are multiplied with a power of two before.
static int exponent_of_length(double x, double y, double z, double w) {
  const int most = 1100;  // keeps the exponent in range, also where ilogb gives none: for a NaN
  return clamp(ilogb(GREATEST(x, y, z, w)), -most, most);
}
// A sum and what rounding has taken from it: without that, results would be wrong by 2 units in the last place.
static double2 add_square(double2 sum, double x) {
  const double square = x * x, total = sum.x + square, added = total - sum.x;
  return (double2)(total, sum.y + fma(x, x, -square) + ((sum.x - (total - added)) + (square - added)));
}
static double2 scaled_square_of_length(double x, double y, double z, double w, int exponent) {
  double2 sum = add_square((double2)(0, 0), ldexp(x, exponent));
  sum = add_square(sum, ldexp(y, exponent));
  sum = add_square(sum, ldexp(z, exponent));
  return add_square(sum, ldexp(w, exponent));
}
// Both roots are corrected by a step of Newton's method, which has no meaning for the length 0.
static double length_f64(double x, double y, double z, double w) {
  const double most = GREATEST(x, y, z, w);
  if (isinf(most)) return most;
  if (most == 0) return fabs(x + y + z + w);  // fmax ignores a NaN, so that one may stand beside zeros
  const int exponent = exponent_of_length(x, y, z, w);
  const double2 sum = scaled_square_of_length(x, y, z, w, -exponent);
  const double root = sqrt(sum.x);
  return ldexp(root + (fma(-root, root, sum.x) + sum.y) / (2 * root), exponent);
}
static double inverse_length_f64(double x, double y, double z, double w) {
  const double most = GREATEST(x, y, z, w);
  if (isinf(most)) return 0;
  if (most == 0) return 1 / fabs(x + y + z + w);
  const int exponent = exponent_of_length(x, y, z, w);
  const double2 sum = scaled_square_of_length(x, y, z, w, -exponent);
  const double root = 1 / sqrt(sum.x), square = root * root;
  const double rest = fma(-sum.x, square, 1) - (sum.x * fma(root, root, -square) + sum.y * square);
  return ldexp(fma(0.5 * root, rest, root), -exponent);
}
OCML_OTHERS(float, f32)
OCML_OTHERS(double, f64)

#define NATIVE(NAME) \
  float __ocml_native_##NAME##_f32(float x) { return native_##NAME(x); }
NATIVE(cos) NATIVE(exp) NATIVE(exp10) NATIVE(exp2) NATIVE(log) NATIVE(log10) NATIVE(log2) NATIVE(sin) NATIVE(sqrt) NATIVE(recip) NATIVE(rsqrt)

// Arithmetic with a rounding mode (PRM 4.19.2).
#define ROUNDED(T, SUFFIX, OCML_MODE, MODE) \
  CONSTANT_IN_WORK_ITEM T __hsail_add_##MODE##_##SUFFIX(T, T); \
  CONSTANT_IN_WORK_ITEM T __hsail_sub_##MODE##_##SUFFIX(T, T); \
  CONSTANT_IN_WORK_ITEM T __hsail_mul_##MODE##_##SUFFIX(T, T); \
  CONSTANT_IN_WORK_ITEM T __hsail_div_##MODE##_##SUFFIX(T, T); \
  CONSTANT_IN_WORK_ITEM T __hsail_fma_##MODE##_##SUFFIX(T, T, T); \
  CONSTANT_IN_WORK_ITEM T __hsail_sqrt_##MODE##_##SUFFIX(T); \
  T __ocml_add_##OCML_MODE##_##SUFFIX(T x, T y) { return __hsail_add_##MODE##_##SUFFIX(x, y); } \
  T __ocml_sub_##OCML_MODE##_##SUFFIX(T x, T y) { return __hsail_sub_##MODE##_##SUFFIX(x, y); } \
  T __ocml_mul_##OCML_MODE##_##SUFFIX(T x, T y) { return __hsail_mul_##MODE##_##SUFFIX(x, y); } \
  T __ocml_div_##OCML_MODE##_##SUFFIX(T x, T y) { return __hsail_div_##MODE##_##SUFFIX(x, y); } \
  T __ocml_fma_##OCML_MODE##_##SUFFIX(T x, T y, T z) { return __hsail_fma_##MODE##_##SUFFIX(x, y, z); } \
  T __ocml_sqrt_##OCML_MODE##_##SUFFIX(T x) { return __hsail_sqrt_##MODE##_##SUFFIX(x); }
#define ALL_ROUNDED(T, SUFFIX) \
  ROUNDED(T, SUFFIX, rte, near) ROUNDED(T, SUFFIX, rtn, down) ROUNDED(T, SUFFIX, rtp, up) ROUNDED(T, SUFFIX, rtz, zero)
ALL_ROUNDED(float, f32)
ALL_ROUNDED(double, f64)

CONSTANT_IN_WORK_ITEM half __hsail_cvt_down_f16_f32(float);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_up_f16_f32(float);
CONSTANT_IN_WORK_ITEM half __hsail_cvt_zero_f16_f32(float);
half __ocml_cvtrtn_f16_f32(float x) { return __hsail_cvt_down_f16_f32(x); }
half __ocml_cvtrtp_f16_f32(float x) { return __hsail_cvt_up_f16_f32(x); }
half __ocml_cvtrtz_f16_f32(float x) { return __hsail_cvt_zero_f16_f32(x); }

// f16, and pairs of f16.
#define HALF_1(NAME) \
  half __ocml_##NAME##_f16(half x) { return NAME(x); } \
  half2 __ocml_##NAME##_2f16(half2 x) { return NAME(x); }
HALF_1(ceil) HALF_1(cos) HALF_1(exp) HALF_1(exp10) HALF_1(exp2) HALF_1(fabs) HALF_1(floor) HALF_1(log) HALF_1(log10) HALF_1(log2)
HALF_1(rint) HALF_1(rsqrt) HALF_1(sin) HALF_1(sqrt) HALF_1(trunc)
half __ocml_fma_f16(half x, half y, half z) { return fma(x, y, z); }
half2 __ocml_fma_2f16(half2 x, half2 y, half2 z) { return fma(x, y, z); }
half __ocml_fmax_f16(half x, half y) { return fmax(x, y); }
half __ocml_fmin_f16(half x, half y) { return fmin(x, y); }
half __ocml_pown_f16(half x, int n) { return pown(x, n); }
half2 __ocml_pown_2f16(half2 x, short2 n) { return pown(x, convert_int2(n)); }
int __ocml_isinf_f16(half x) { return isinf(x); }
int __ocml_isnan_f16(half x) { return isnan(x); }
short2 __ocml_isinf_2f16(half2 x) { return isinf(x); }
short2 __ocml_isnan_2f16(half2 x) { return isnan(x); }
