/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Floating-point numbers of 16 bits (IEEE 754 binary16): __half and pairs of them, __half2. The operations
 * that other formats have, too, are in device/real16.h. C and compilers without a type _Float16 see the bits
 * alone.
 */
#ifndef HIP_FP16_H_
#define HIP_FP16_H_

#include <hip/hip_common.h>
#include <hip/hip_vector_types.h>
#include <hip/host_defines.h>

typedef struct __half_raw {
  unsigned short x;
} __half_raw;

typedef struct __half2_raw {
  unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus) && defined(__FLT16_MANT_DIG__)

#include <hip/device/conversions.h>
#include <hip/device/real16.h>

#define HIP_HALF_INLINE_ __HOST_DEVICE__ static inline

struct __hip_binary16 {
  typedef __half_raw raw;
  typedef __half2_raw raw_pair;
  static constexpr unsigned short infinity = 0x7c00;
  __HOST_DEVICE__ static inline unsigned short from_float(float x) {
    return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
  }
  __HOST_DEVICE__ static inline float to_float(unsigned short bits) {
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
  }
};

typedef __hip_real16<__hip_binary16> __half;
typedef __hip_real16_pair<__hip_binary16> __half2;

#if !defined(HIP_NO_HALF)
typedef __half half;
typedef __half2 half2;
#endif

/* The functions of device/real16.h are friends of the types, which are found for arguments of these types
   alone. Declared here, they are found for arguments of classes that convert to them, too. */
#define HIP_HALF_FUNCTION_1_(NAME) __HOST_DEVICE__ inline __half NAME(__half);
#define HIP_HALF_FUNCTION_2_(NAME) __HOST_DEVICE__ inline __half NAME(__half, __half);
#define HIP_HALF2_FUNCTION_1_(NAME) __HOST_DEVICE__ inline __half2 NAME(__half2);
#define HIP_HALF2_FUNCTION_2_(NAME) __HOST_DEVICE__ inline __half2 NAME(__half2, __half2);
HIP_HALF_FUNCTION_2_(__hadd)
HIP_HALF_FUNCTION_2_(__hsub)
HIP_HALF_FUNCTION_2_(__hmul)
HIP_HALF_FUNCTION_2_(__hdiv)
HIP_HALF_FUNCTION_2_(__hadd_sat)
HIP_HALF_FUNCTION_2_(__hsub_sat)
HIP_HALF_FUNCTION_2_(__hmul_sat)
HIP_HALF_FUNCTION_2_(__hmin)
HIP_HALF_FUNCTION_2_(__hmax)
HIP_HALF_FUNCTION_2_(__hmin_nan)
HIP_HALF_FUNCTION_2_(__hmax_nan)
HIP_HALF_FUNCTION_1_(__hneg)
HIP_HALF_FUNCTION_1_(__habs)
__HOST_DEVICE__ inline __half __hfma(__half, __half, __half);
__HOST_DEVICE__ inline __half __hfma_sat(__half, __half, __half);
__HOST_DEVICE__ inline bool __hisnan(__half);
__HOST_DEVICE__ inline int __hisinf(__half);
HIP_HALF2_FUNCTION_2_(__hadd2)
HIP_HALF2_FUNCTION_2_(__hsub2)
HIP_HALF2_FUNCTION_2_(__hmul2)
HIP_HALF2_FUNCTION_2_(__h2div)
HIP_HALF2_FUNCTION_2_(__hadd2_sat)
HIP_HALF2_FUNCTION_2_(__hsub2_sat)
HIP_HALF2_FUNCTION_2_(__hmul2_sat)
HIP_HALF2_FUNCTION_2_(__hmin2)
HIP_HALF2_FUNCTION_2_(__hmax2)
HIP_HALF2_FUNCTION_2_(__hmin2_nan)
HIP_HALF2_FUNCTION_2_(__hmax2_nan)
HIP_HALF2_FUNCTION_1_(__hneg2)
HIP_HALF2_FUNCTION_1_(__habs2)
HIP_HALF2_FUNCTION_1_(__hisnan2)
HIP_HALF2_FUNCTION_1_(__hisinf2)
__HOST_DEVICE__ inline __half2 __hfma2(__half2, __half2, __half2);
__HOST_DEVICE__ inline __half2 __hfma2_sat(__half2, __half2, __half2);
__HOST_DEVICE__ inline float __low2float(__half2);
__HOST_DEVICE__ inline float __high2float(__half2);
#define HIP_HALF_COMPARISON_(NAME)                               \
  __HOST_DEVICE__ inline bool __h##NAME(__half, __half);         \
  __HOST_DEVICE__ inline __half2 __h##NAME##2(__half2, __half2); \
  __HOST_DEVICE__ inline bool __hb##NAME##2(__half2, __half2);
HIP_HALF_COMPARISON_(eq)
HIP_HALF_COMPARISON_(ne)
HIP_HALF_COMPARISON_(le)
HIP_HALF_COMPARISON_(ge)
HIP_HALF_COMPARISON_(lt)
HIP_HALF_COMPARISON_(gt)
HIP_HALF_COMPARISON_(equ)
HIP_HALF_COMPARISON_(neu)
HIP_HALF_COMPARISON_(leu)
HIP_HALF_COMPARISON_(geu)
HIP_HALF_COMPARISON_(ltu)
HIP_HALF_COMPARISON_(gtu)
#if defined(__HIP__)
#define HIP_HALF_MATH_(NAME)                \
  __device__ inline __half h##NAME(__half); \
  __device__ inline __half2 h2##NAME(__half2);
HIP_HALF_MATH_(ceil)
HIP_HALF_MATH_(floor)
HIP_HALF_MATH_(trunc)
HIP_HALF_MATH_(rint)
HIP_HALF_MATH_(sqrt)
HIP_HALF_MATH_(rsqrt)
HIP_HALF_MATH_(rcp)
HIP_HALF_MATH_(sin)
HIP_HALF_MATH_(cos)
HIP_HALF_MATH_(exp)
HIP_HALF_MATH_(exp2)
HIP_HALF_MATH_(exp10)
HIP_HALF_MATH_(log)
HIP_HALF_MATH_(log2)
HIP_HALF_MATH_(log10)
#undef HIP_HALF_MATH_
#endif
#undef HIP_HALF_FUNCTION_1_
#undef HIP_HALF_FUNCTION_2_
#undef HIP_HALF2_FUNCTION_1_
#undef HIP_HALF2_FUNCTION_2_
#undef HIP_HALF_COMPARISON_

/* Bits */
HIP_HALF_INLINE_ short __half_as_short(__half x) { return static_cast<short>(x.__x); }
HIP_HALF_INLINE_ unsigned short __half_as_ushort(__half x) { return x.__x; }
HIP_HALF_INLINE_ __half __short_as_half(short x) { return __half::of_bits(static_cast<unsigned short>(x)); }
HIP_HALF_INLINE_ __half __ushort_as_half(unsigned short x) { return __half::of_bits(x); }

/* Conversions with a rounding mode: rn, rz, rd, ru. */
HIP_HALF_INLINE_ __half __float2half(float x) { return __half(x); }
HIP_HALF_INLINE_ __half __float2half_rn(float x) { return __half(x); }
HIP_HALF_INLINE_ __half __float2half_rz(float x) { return __half::truncated_(x); }
HIP_HALF_INLINE_ __half __float2half_rd(float x) { return __half::down_(x); }
HIP_HALF_INLINE_ __half __float2half_ru(float x) { return __half::up_(x); }
HIP_HALF_INLINE_ __half __double2half(double x) { return __half(x); }
HIP_HALF_INLINE_ float __half2float(__half x) { return static_cast<float>(x); }

/* Integers beyond 2^53 are far above the largest number, so that double decides as the exact value would. */
#define HIP_HALF_OF_(T, NAME)                                                                            \
  HIP_HALF_INLINE_ __half __##NAME##2half_rn(T x) { return __half(static_cast<double>(x)); }             \
  HIP_HALF_INLINE_ __half __##NAME##2half_rz(T x) { return __half::truncated_(static_cast<double>(x)); } \
  HIP_HALF_INLINE_ __half __##NAME##2half_rd(T x) { return __half::down_(static_cast<double>(x)); }      \
  HIP_HALF_INLINE_ __half __##NAME##2half_ru(T x) { return __half::up_(static_cast<double>(x)); }
HIP_HALF_OF_(int, int)
HIP_HALF_OF_(unsigned int, uint)
HIP_HALF_OF_(short, short)
HIP_HALF_OF_(unsigned short, ushort)
HIP_HALF_OF_(long long, ll)
HIP_HALF_OF_(unsigned long long, ull)
#undef HIP_HALF_OF_

/* Pairs */
HIP_HALF_INLINE_ __half2 make_half2(__half x, __half y) { return __half2(x, y); }
HIP_HALF_INLINE_ __half2 __float2half2_rn(float x) { return __half2(__half(x)); }
HIP_HALF_INLINE_ __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
HIP_HALF_INLINE_ __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
HIP_HALF_INLINE_ float2 __half22float2(__half2 x) {
  return make_float2(__half2float(x.x), __half2float(x.y));
}
HIP_HALF_INLINE_ __half2 __half2half2(__half x) { return __half2(x); }
HIP_HALF_INLINE_ __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
HIP_HALF_INLINE_ __half __low2half(__half2 x) { return x.x; }
HIP_HALF_INLINE_ __half __high2half(__half2 x) { return x.y; }
HIP_HALF_INLINE_ __half2 __low2half2(__half2 x) { return __half2(x.x); }
HIP_HALF_INLINE_ __half2 __high2half2(__half2 x) { return __half2(x.y); }
HIP_HALF_INLINE_ __half2 __lows2half2(__half2 x, __half2 y) { return __half2(x.x, y.x); }
HIP_HALF_INLINE_ __half2 __highs2half2(__half2 x, __half2 y) { return __half2(x.y, y.y); }
HIP_HALF_INLINE_ __half2 __lowhigh2highlow(__half2 x) { return __half2(x.y, x.x); }

#if defined(__HIP__)
/* Conversions to integers, which saturate. */
#define HIP_HALF_TO_(T, NAME)                               \
  __device__ static inline T __half2##NAME##_rn(__half x) { \
    return __hip_saturated_<T>(__builtin_rintf(float(x)));  \
  }                                                         \
  __device__ static inline T __half2##NAME##_rz(__half x) { \
    return __hip_saturated_<T>(__builtin_truncf(float(x))); \
  }                                                         \
  __device__ static inline T __half2##NAME##_ru(__half x) { \
    return __hip_saturated_<T>(__builtin_ceilf(float(x)));  \
  }                                                         \
  __device__ static inline T __half2##NAME##_rd(__half x) { \
    return __hip_saturated_<T>(__builtin_floorf(float(x))); \
  }
HIP_HALF_TO_(int, int)
HIP_HALF_TO_(unsigned int, uint)
HIP_HALF_TO_(short, short)
HIP_HALF_TO_(unsigned short, ushort)
HIP_HALF_TO_(long long, ll)
HIP_HALF_TO_(unsigned long long, ull)
#undef HIP_HALF_TO_
#endif

#undef HIP_HALF_INLINE_

#else

typedef __half_raw __half;
typedef __half2_raw __half2;
typedef __half half;
typedef __half2 half2;

#endif
#endif /* HIP_FP16_H_ */
