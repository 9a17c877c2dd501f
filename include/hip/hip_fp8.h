/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Floating-point numbers of 8 bits, one, two and four of them in an integer: e4m3 and e5m2 of the Open
 * Compute Project, and their variants fnuz, whose only NaN has the bits of a negative zero, and which have no
 * infinities. They are for storage: calculations are done in float.
 *
 * Conversions round to the nearest number, and ties to the even one. What is too large becomes the largest
 * number with __HIP_SATFINITE, and otherwise an infinity, or NaN where there is none. Infinities count as too
 * large, but become NaN in the formats fnuz.
 */
#ifndef HIP_FP8_H_
#define HIP_FP8_H_

#include <hip/hip_bf16.h>
#include <hip/hip_common.h>
#include <hip/hip_fp16.h>
#include <hip/hip_vector_types.h>
#include <hip/host_defines.h>

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;

typedef enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 } __hip_saturation_t;
typedef enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
} __hip_fp8_interpretation_t;

#ifdef __cplusplus

#include <type_traits>

#define HIP_FP8_INLINE_ __HOST_DEVICE__ static inline

/* What the bits of a format mean. */
struct __hip_fp8_format_ {
  unsigned fraction_bits, bias, largest, infinity, nan;
  bool fnuz;
};

HIP_FP8_INLINE_ __hip_fp8_format_ __hip_fp8_format_of_(__hip_fp8_interpretation_t interpretation) {
  switch (interpretation) {
    case __HIP_E4M3:
      return {3, 7, 0x7e, 0x7f, 0x7f, false};
    case __HIP_E5M2:
      return {2, 15, 0x7b, 0x7c, 0x7f, false};
    case __HIP_E4M3_FNUZ:
      return {3, 8, 0x7f, 0x80, 0x80, true};
    default:
      return {2, 16, 0x7f, 0x80, 0x80, true};
  }
}

/* Drops the lowest bits and rounds to the nearest number, ties to even. */
HIP_FP8_INLINE_ unsigned long long __hip_fp8_rounded_(unsigned long long x, int bits) {
  if (bits > 62) return 0;
  const unsigned long long half = 1ull << (bits - 1);
  return (x + (half - 1) + (x >> bits & 1)) >> bits;
}

HIP_FP8_INLINE_ __hip_fp8_storage_t __hip_cvt_double_to_fp8(double x, __hip_saturation_t saturation,
                                                            __hip_fp8_interpretation_t interpretation) {
  const __hip_fp8_format_ format = __hip_fp8_format_of_(interpretation);
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  const unsigned sign = (unsigned)(bits >> 63) << 7;
  const int raw_exponent = (int)(bits >> 52 & 0x7ff), exponent = raw_exponent - 1023 + (int)format.bias;
  const unsigned long long fraction = bits & 0xfffffffffffffull;
  const int dropped = 52 - (int)format.fraction_bits;
  if (raw_exponent == 0x7ff && (fraction != 0 || format.fnuz)) return format.fnuz ? 0x80 : sign | format.nan;
  unsigned long long magnitude = 0; /* of subnormal doubles, too */
  if (exponent >= 1)
    magnitude = __hip_fp8_rounded_((unsigned long long)exponent << 52 | fraction, dropped);
  else if (raw_exponent != 0)
    magnitude = __hip_fp8_rounded_(1ull << 52 | fraction, dropped + 1 - exponent);
  if (magnitude > format.largest) {
    if (saturation == __HIP_SATFINITE) return sign | format.largest;
    return format.fnuz ? 0x80 : sign | format.infinity;
  }
  return magnitude == 0 && format.fnuz ? 0 : sign | (unsigned)magnitude;
}
HIP_FP8_INLINE_ __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturation,
                                                           __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_double_to_fp8(x, saturation, interpretation);
}

/* Every number of the formats is a float. */
HIP_FP8_INLINE_ float __hip_fp8_to_float_(__hip_fp8_storage_t x, __hip_fp8_interpretation_t interpretation) {
  const __hip_fp8_format_ format = __hip_fp8_format_of_(interpretation);
  const unsigned magnitude = x & 0x7f, fraction = magnitude & ((1u << format.fraction_bits) - 1);
  const unsigned exponent = magnitude >> format.fraction_bits;
  if (format.fnuz ? x == 0x80 : magnitude > format.infinity || magnitude == format.nan)
    return __builtin_nanf("");
  if (!format.fnuz && magnitude == format.infinity)
    return (x & 0x80) != 0 ? -__builtin_inff() : __builtin_inff();
  const unsigned significand = exponent == 0 ? fraction : fraction | 1u << format.fraction_bits;
  const unsigned scale_bits = ((exponent == 0 ? 1 : exponent) + 127 - format.bias - format.fraction_bits)
                              << 23;
  float scale;
  __builtin_memcpy(&scale, &scale_bits, sizeof scale);
  const float result = (float)significand * scale;
  return (x & 0x80) != 0 ? -result : result;
}

HIP_FP8_INLINE_ __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(double2 x, __hip_saturation_t saturation,
                                                                 __hip_fp8_interpretation_t interpretation) {
  return (__hip_fp8x2_storage_t)(__hip_cvt_double_to_fp8(x.x, saturation, interpretation) |
                                 __hip_cvt_double_to_fp8(x.y, saturation, interpretation) << 8);
}
HIP_FP8_INLINE_ __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 x, __hip_saturation_t saturation,
                                                                __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_double2_to_fp8x2(double2(x.x, x.y), saturation, interpretation);
}
HIP_FP8_INLINE_ __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw x,
                                                                 __hip_saturation_t saturation,
                                                                 __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_float_to_fp8(__hip_brain16::to_float(x.x), saturation, interpretation);
}
#if defined(__FLT16_MANT_DIG__)
HIP_FP8_INLINE_ __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw x, __hip_saturation_t saturation,
                                                             __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_float_to_fp8(__hip_binary16::to_float(x.x), saturation, interpretation);
}
HIP_FP8_INLINE_ __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x,
                                                    __hip_fp8_interpretation_t interpretation) {
  return __half_raw{__hip_binary16::from_float(__hip_fp8_to_float_(x, interpretation))};
}
#endif

template <__hip_fp8_interpretation_t Interpretation>
struct __hip_fp8_number_ {
  __hip_fp8_storage_t __x;

  __hip_fp8_number_() = default;
  template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
  __HOST_DEVICE__ __hip_fp8_number_(T x)
      : __x(__hip_cvt_double_to_fp8(static_cast<double>(x), __HIP_SATFINITE, Interpretation)) {}
  __HOST_DEVICE__ __hip_fp8_number_(__hip_bfloat16 x) : __hip_fp8_number_(static_cast<float>(x)) {}
#if defined(__FLT16_MANT_DIG__)
  __HOST_DEVICE__ __hip_fp8_number_(__half x) : __hip_fp8_number_(static_cast<float>(x)) {}
#endif
  __HOST_DEVICE__ operator float() const { return __hip_fp8_to_float_(__x, Interpretation); }
};

/* The first of two or four is in the lowest bits. */
template <__hip_fp8_interpretation_t Interpretation>
struct __hip_fp8_pair_ {
  __hip_fp8x2_storage_t __x;

  __hip_fp8_pair_() = default;
  __HOST_DEVICE__ __hip_fp8_pair_(float2 x)
      : __x(__hip_cvt_float2_to_fp8x2(x, __HIP_SATFINITE, Interpretation)) {}
  __HOST_DEVICE__ __hip_fp8_pair_(double2 x)
      : __x(__hip_cvt_double2_to_fp8x2(x, __HIP_SATFINITE, Interpretation)) {}
  __HOST_DEVICE__ __hip_fp8_pair_(__hip_bfloat162 x)
      : __hip_fp8_pair_(float2(static_cast<float>(x.x), static_cast<float>(x.y))) {}
#if defined(__FLT16_MANT_DIG__)
  __HOST_DEVICE__ __hip_fp8_pair_(__half2 x)
      : __hip_fp8_pair_(float2(static_cast<float>(x.x), static_cast<float>(x.y))) {}
#endif
  __HOST_DEVICE__ operator float2() const {
    return float2(__hip_fp8_to_float_(__x & 0xff, Interpretation),
                  __hip_fp8_to_float_(__x >> 8, Interpretation));
  }
};

template <__hip_fp8_interpretation_t Interpretation>
struct __hip_fp8_quadruple_ {
  typedef __hip_fp8_pair_<Interpretation> Pair;
  __hip_fp8x4_storage_t __x;

  __hip_fp8_quadruple_() = default;
  __HOST_DEVICE__ __hip_fp8_quadruple_(Pair low, Pair high)
      : __x(low.__x | static_cast<__hip_fp8x4_storage_t>(high.__x) << 16) {}
  __HOST_DEVICE__ __hip_fp8_quadruple_(__hip_bfloat162 low, __hip_bfloat162 high)
      : __hip_fp8_quadruple_(Pair(low), Pair(high)) {}
#if defined(__FLT16_MANT_DIG__)
  __HOST_DEVICE__ __hip_fp8_quadruple_(__half2 low, __half2 high)
      : __hip_fp8_quadruple_(Pair(low), Pair(high)) {}
#endif
  __HOST_DEVICE__ __hip_fp8_quadruple_(float4 x)
      : __hip_fp8_quadruple_(Pair(float2(x.x, x.y)), Pair(float2(x.z, x.w))) {}
  __HOST_DEVICE__ __hip_fp8_quadruple_(double4 x)
      : __hip_fp8_quadruple_(Pair(double2(x.x, x.y)), Pair(double2(x.z, x.w))) {}
  __HOST_DEVICE__ operator float4() const {
    return float4(__hip_fp8_to_float_(__x & 0xff, Interpretation),
                  __hip_fp8_to_float_(__x >> 8 & 0xff, Interpretation),
                  __hip_fp8_to_float_(__x >> 16 & 0xff, Interpretation),
                  __hip_fp8_to_float_(__x >> 24, Interpretation));
  }
};

typedef __hip_fp8_number_<__HIP_E4M3> __hip_fp8_e4m3;
typedef __hip_fp8_number_<__HIP_E5M2> __hip_fp8_e5m2;
typedef __hip_fp8_number_<__HIP_E4M3_FNUZ> __hip_fp8_e4m3_fnuz;
typedef __hip_fp8_number_<__HIP_E5M2_FNUZ> __hip_fp8_e5m2_fnuz;
typedef __hip_fp8_pair_<__HIP_E4M3> __hip_fp8x2_e4m3;
typedef __hip_fp8_pair_<__HIP_E5M2> __hip_fp8x2_e5m2;
typedef __hip_fp8_pair_<__HIP_E4M3_FNUZ> __hip_fp8x2_e4m3_fnuz;
typedef __hip_fp8_pair_<__HIP_E5M2_FNUZ> __hip_fp8x2_e5m2_fnuz;
typedef __hip_fp8_quadruple_<__HIP_E4M3> __hip_fp8x4_e4m3;
typedef __hip_fp8_quadruple_<__HIP_E5M2> __hip_fp8x4_e5m2;
typedef __hip_fp8_quadruple_<__HIP_E4M3_FNUZ> __hip_fp8x4_e4m3_fnuz;
typedef __hip_fp8_quadruple_<__HIP_E5M2_FNUZ> __hip_fp8x4_e5m2_fnuz;

#undef HIP_FP8_INLINE_

#endif
#endif /* HIP_FP8_H_ */
