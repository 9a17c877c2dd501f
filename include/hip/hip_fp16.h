/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Floating-point numbers of 16 bits (IEEE 754 binary16): __half and pairs of them, __half2. Host and device can
 * both calculate with them; results are rounded to the nearest number, ties to even.
 */
#ifndef HIP_FP16_H_
#define HIP_FP16_H_

#include <hip/hip_common.h>
#include <hip/hip_vector_types.h>
#include <hip/host_defines.h>

#if defined(__cplusplus) && defined(__clang__)

#if defined(__HIP__)
#include <hip/device/conversions.h>
#include <hip/device/warps.h>
#endif

#include <type_traits>

#define HIP_HALF_INLINE_ __HOST_DEVICE__ static inline

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};

struct __half2_raw {
  unsigned short x, y;
};

template <typename T>
using __hip_if_number_ = typename std::enable_if<std::is_arithmetic<T>::value, int>::type;

struct __half {
  _Float16 value_;

  __half() = default;
  __HOST_DEVICE__ constexpr __half(_Float16 x) : value_(x) {}
  __HOST_DEVICE__ constexpr __half(const __half_raw& x) : value_(__builtin_bit_cast(_Float16, x)) {}
  template <typename T, __hip_if_number_<T> = 0>
  __HOST_DEVICE__ constexpr __half(T x) : value_(static_cast<_Float16>(x)) {}

  __HOST_DEVICE__ constexpr operator _Float16() const { return value_; }
  __HOST_DEVICE__ constexpr operator __half_raw() const { return __builtin_bit_cast(__half_raw, value_); }
  template <typename T, __hip_if_number_<T> = 0>
  __HOST_DEVICE__ constexpr operator T() const {
    return static_cast<T>(value_);
  }

  __HOST_DEVICE__ __half& operator+=(const __half& b) { return *this = __half(_Float16(value_ + b.value_)); }
  __HOST_DEVICE__ __half& operator-=(const __half& b) { return *this = __half(_Float16(value_ - b.value_)); }
  __HOST_DEVICE__ __half& operator*=(const __half& b) { return *this = __half(_Float16(value_ * b.value_)); }
  __HOST_DEVICE__ __half& operator/=(const __half& b) { return *this = __half(_Float16(value_ / b.value_)); }
  __HOST_DEVICE__ __half& operator++() { return *this += __half(_Float16(1)); }
  __HOST_DEVICE__ __half& operator--() { return *this -= __half(_Float16(1)); }
  __HOST_DEVICE__ __half operator++(int) {
    const __half before = *this;
    ++*this;
    return before;
  }
  __HOST_DEVICE__ __half operator--(int) {
    const __half before = *this;
    --*this;
    return before;
  }
  __HOST_DEVICE__ __half operator+() const { return *this; }
  __HOST_DEVICE__ __half operator-() const { return __half(_Float16(-value_)); }

#define HIP_HALF_OPERATOR_(OP, R)                                                  \
  friend __HOST_DEVICE__ inline R operator OP(const __half& a, const __half& b) {  \
    return R(a.value_ OP b.value_);                                                \
  }
#define HIP_HALF_ARITHMETIC_(OP)                                                       \
  friend __HOST_DEVICE__ inline __half operator OP(const __half& a, const __half& b) { \
    return __half(_Float16(a.value_ OP b.value_));                                     \
  }
  HIP_HALF_ARITHMETIC_(+)
  HIP_HALF_ARITHMETIC_(-)
  HIP_HALF_ARITHMETIC_(*)
  HIP_HALF_ARITHMETIC_(/)
  HIP_HALF_OPERATOR_(==, bool)
  HIP_HALF_OPERATOR_(!=, bool)
  HIP_HALF_OPERATOR_(<, bool)
  HIP_HALF_OPERATOR_(<=, bool)
  HIP_HALF_OPERATOR_(>, bool)
  HIP_HALF_OPERATOR_(>=, bool)
#undef HIP_HALF_ARITHMETIC_
#undef HIP_HALF_OPERATOR_
};

struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  __HOST_DEVICE__ constexpr __half2(__half x_, __half y_) : x(x_), y(y_) {}
  __HOST_DEVICE__ constexpr __half2(const __half2_raw& raw)
      : x(__builtin_bit_cast(_Float16, raw.x)), y(__builtin_bit_cast(_Float16, raw.y)) {}
  __HOST_DEVICE__ constexpr operator __half2_raw() const {
    return {__builtin_bit_cast(unsigned short, x), __builtin_bit_cast(unsigned short, y)};
  }

#define HIP_HALF2_ARITHMETIC_(OP)                                                          \
  __HOST_DEVICE__ __half2& operator OP##=(const __half2& b) { return *this = *this OP b; } \
  friend __HOST_DEVICE__ inline __half2 operator OP(const __half2& a, const __half2& b) {  \
    return __half2(a.x OP b.x, a.y OP b.y);                                                \
  }
  HIP_HALF2_ARITHMETIC_(+)
  HIP_HALF2_ARITHMETIC_(-)
  HIP_HALF2_ARITHMETIC_(*)
  HIP_HALF2_ARITHMETIC_(/)
#undef HIP_HALF2_ARITHMETIC_
  __HOST_DEVICE__ __half2 operator-() const { return __half2(-x, -y); }
  __HOST_DEVICE__ __half2& operator++() { return *this += __half2(_Float16(1), _Float16(1)); }
  __HOST_DEVICE__ __half2& operator--() { return *this -= __half2(_Float16(1), _Float16(1)); }
#define HIP_HALF2_COMPARISON_(OP)                                                      \
  friend __HOST_DEVICE__ inline bool operator OP(const __half2& a, const __half2& b) { \
    return a.x OP b.x && a.y OP b.y;                                                   \
  }
  HIP_HALF2_COMPARISON_(==)
  HIP_HALF2_COMPARISON_(<)
  HIP_HALF2_COMPARISON_(<=)
  HIP_HALF2_COMPARISON_(>)
  HIP_HALF2_COMPARISON_(>=)
#undef HIP_HALF2_COMPARISON_
  friend __HOST_DEVICE__ inline bool operator!=(const __half2& a, const __half2& b) { return !(a == b); }
};

#if !defined(HIP_NO_HALF)
typedef __half half;
typedef __half2 half2;
#endif

HIP_HALF_INLINE_ __half2 make_half2(__half x, __half y) { return __half2(x, y); }

/* Bits */
HIP_HALF_INLINE_ short __half_as_short(__half x) { return __builtin_bit_cast(short, x); }
HIP_HALF_INLINE_ unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x); }
HIP_HALF_INLINE_ __half __short_as_half(short x) { return __half(__builtin_bit_cast(_Float16, x)); }
HIP_HALF_INLINE_ __half __ushort_as_half(unsigned short x) { return __half(__builtin_bit_cast(_Float16, x)); }

/* Conversions from numbers, with a rounding mode (rn, rz, rd, ru). The nearest number is moved by one step
 * where it is on the wrong side of x. W holds every __half and every x exactly. */
template <typename W>
HIP_HALF_INLINE_ __half __hip_half_down_(W x) {
  const _Float16 near = static_cast<_Float16>(x);
  if (!(static_cast<W>(near) > x)) return near;
  const unsigned short bits = __builtin_bit_cast(unsigned short, near);
  if ((bits & 0x7fff) == 0) return __ushort_as_half(0x8001);
  return __ushort_as_half(static_cast<unsigned short>((bits & 0x8000) != 0 ? bits + 1 : bits - 1));
}
template <typename W>
HIP_HALF_INLINE_ __half __hip_half_up_(W x) {
  return -__hip_half_down_(-x);
}
template <typename W>
HIP_HALF_INLINE_ __half __hip_half_truncated_(W x) {
  return x < 0 ? __hip_half_up_(x) : __hip_half_down_(x);
}

HIP_HALF_INLINE_ __half __float2half(float x) { return static_cast<_Float16>(x); }
HIP_HALF_INLINE_ __half __float2half_rn(float x) { return static_cast<_Float16>(x); }
HIP_HALF_INLINE_ __half __float2half_rz(float x) { return __hip_half_truncated_(x); }
HIP_HALF_INLINE_ __half __float2half_rd(float x) { return __hip_half_down_(x); }
HIP_HALF_INLINE_ __half __float2half_ru(float x) { return __hip_half_up_(x); }
HIP_HALF_INLINE_ __half __double2half(double x) { return static_cast<_Float16>(x); }
HIP_HALF_INLINE_ float __half2float(__half x) { return static_cast<float>(x.value_); }

/* Integers beyond 2^53 are far above the largest __half, so that double decides as the exact value would. */
#define HIP_HALF_OF_(T, NAME)                                                                             \
  HIP_HALF_INLINE_ __half __##NAME##2half_rn(T x) { return static_cast<_Float16>(static_cast<double>(x)); } \
  HIP_HALF_INLINE_ __half __##NAME##2half_rz(T x) { return __hip_half_truncated_(static_cast<double>(x)); } \
  HIP_HALF_INLINE_ __half __##NAME##2half_rd(T x) { return __hip_half_down_(static_cast<double>(x)); }      \
  HIP_HALF_INLINE_ __half __##NAME##2half_ru(T x) { return __hip_half_up_(static_cast<double>(x)); }
HIP_HALF_OF_(int, int)
HIP_HALF_OF_(unsigned int, uint)
HIP_HALF_OF_(short, short)
HIP_HALF_OF_(unsigned short, ushort)
HIP_HALF_OF_(long long, ll)
HIP_HALF_OF_(unsigned long long, ull)
#undef HIP_HALF_OF_

/* Pairs */
HIP_HALF_INLINE_ __half2 __float2half2_rn(float x) { return __half2(__float2half(x), __float2half(x)); }
HIP_HALF_INLINE_ __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half(x), __float2half(y)); }
HIP_HALF_INLINE_ __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
HIP_HALF_INLINE_ float2 __half22float2(__half2 x) { return make_float2(__half2float(x.x), __half2float(x.y)); }
HIP_HALF_INLINE_ __half2 __half2half2(__half x) { return __half2(x, x); }
HIP_HALF_INLINE_ __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
HIP_HALF_INLINE_ float __low2float(__half2 x) { return __half2float(x.x); }
HIP_HALF_INLINE_ float __high2float(__half2 x) { return __half2float(x.y); }
HIP_HALF_INLINE_ __half __low2half(__half2 x) { return x.x; }
HIP_HALF_INLINE_ __half __high2half(__half2 x) { return x.y; }
HIP_HALF_INLINE_ __half2 __low2half2(__half2 x) { return __half2(x.x, x.x); }
HIP_HALF_INLINE_ __half2 __high2half2(__half2 x) { return __half2(x.y, x.y); }
HIP_HALF_INLINE_ __half2 __lows2half2(__half2 x, __half2 y) { return __half2(x.x, y.x); }
HIP_HALF_INLINE_ __half2 __highs2half2(__half2 x, __half2 y) { return __half2(x.y, y.y); }
HIP_HALF_INLINE_ __half2 __lowhigh2highlow(__half2 x) { return __half2(x.y, x.x); }

/* Arithmetic. Results with _sat lie in [0, 1], and NaN becomes 0. */
HIP_HALF_INLINE_ __half __hip_half_saturated_(__half x) {
  return x > __half(_Float16(0)) ? x < __half(_Float16(1)) ? x : __half(_Float16(1)) : __half(_Float16(0));
}
HIP_HALF_INLINE_ __half2 __hip_half_saturated_(__half2 x) {
  return __half2(__hip_half_saturated_(x.x), __hip_half_saturated_(x.y));
}
#define HIP_HALF_BINARY_(NAME, OP)                                                                         \
  HIP_HALF_INLINE_ __half NAME(__half a, __half b) { return a OP b; }                                      \
  HIP_HALF_INLINE_ __half NAME##_sat(__half a, __half b) { return __hip_half_saturated_(a OP b); }         \
  HIP_HALF_INLINE_ __half2 NAME##2(__half2 a, __half2 b) { return a OP b; }                                \
  HIP_HALF_INLINE_ __half2 NAME##2_sat(__half2 a, __half2 b) { return __hip_half_saturated_(a OP b); }
HIP_HALF_BINARY_(__hadd, +)
HIP_HALF_BINARY_(__hsub, -)
HIP_HALF_BINARY_(__hmul, *)
#undef HIP_HALF_BINARY_
HIP_HALF_INLINE_ __half __hdiv(__half a, __half b) { return a / b; }
HIP_HALF_INLINE_ __half2 __h2div(__half2 a, __half2 b) { return a / b; }
/* A product of two halves is exact in float, and so is its sum with a third in double. */
HIP_HALF_INLINE_ __half __hfma(__half a, __half b, __half c) {
  return static_cast<_Float16>(static_cast<double>(a.value_) * static_cast<double>(b.value_) +
                               static_cast<double>(c.value_));
}
HIP_HALF_INLINE_ __half __hfma_sat(__half a, __half b, __half c) { return __hip_half_saturated_(__hfma(a, b, c)); }
HIP_HALF_INLINE_ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
HIP_HALF_INLINE_ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __hip_half_saturated_(__hfma2(a, b, c));
}
HIP_HALF_INLINE_ __half __hneg(__half x) { return -x; }
HIP_HALF_INLINE_ __half2 __hneg2(__half2 x) { return -x; }
HIP_HALF_INLINE_ __half __habs(__half x) {
  return __ushort_as_half(static_cast<unsigned short>(__half_as_ushort(x) & 0x7fff));
}
HIP_HALF_INLINE_ __half2 __habs2(__half2 x) { return __half2(__habs(x.x), __habs(x.y)); }

/* Comparisons; those whose names end in u are also true if an operand is NaN. Pairs give 1 or 0 for each
 * element, and functions with hb whether both are true. */
HIP_HALF_INLINE_ bool __hisnan(__half x) { return x != x; }
HIP_HALF_INLINE_ int __hisinf(__half x) {
  return (__half_as_ushort(x) & 0x7fff) == 0x7c00 ? (__half_as_ushort(x) == 0x7c00 ? 1 : -1) : 0;
}
HIP_HALF_INLINE_ __half2 __hisnan2(__half2 x) {
  return __half2(_Float16(__hisnan(x.x)), _Float16(__hisnan(x.y)));
}
HIP_HALF_INLINE_ __half2 __hisinf2(__half2 x) {
  return __half2(_Float16(__hisinf(x.x) != 0), _Float16(__hisinf(x.y) != 0));
}
#define HIP_HALF_COMPARE_(NAME, OP)                                                                             \
  HIP_HALF_INLINE_ bool __h##NAME(__half a, __half b) { return !__hisnan(a) && !__hisnan(b) && a OP b; }        \
  HIP_HALF_INLINE_ bool __h##NAME##u(__half a, __half b) { return __hisnan(a) || __hisnan(b) || a OP b; }       \
  HIP_HALF_INLINE_ __half2 __h##NAME##2(__half2 a, __half2 b) {                                                 \
    return __half2(_Float16(__h##NAME(a.x, b.x)), _Float16(__h##NAME(a.y, b.y)));                               \
  }                                                                                                             \
  HIP_HALF_INLINE_ __half2 __h##NAME##u2(__half2 a, __half2 b) {                                                \
    return __half2(_Float16(__h##NAME##u(a.x, b.x)), _Float16(__h##NAME##u(a.y, b.y)));                         \
  }                                                                                                             \
  HIP_HALF_INLINE_ bool __hb##NAME##2(__half2 a, __half2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); } \
  HIP_HALF_INLINE_ bool __hb##NAME##u2(__half2 a, __half2 b) {                                                  \
    return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y);                                                    \
  }
HIP_HALF_COMPARE_(eq, ==)
HIP_HALF_COMPARE_(ne, !=)
HIP_HALF_COMPARE_(le, <=)
HIP_HALF_COMPARE_(ge, >=)
HIP_HALF_COMPARE_(lt, <)
HIP_HALF_COMPARE_(gt, >)
#undef HIP_HALF_COMPARE_
/* The smaller and the larger of two numbers; a number counts more than NaN. */
HIP_HALF_INLINE_ __half __hmin(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) ? a : b < a ? b : a; }
HIP_HALF_INLINE_ __half __hmax(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) ? a : a < b ? b : a; }
HIP_HALF_INLINE_ __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
HIP_HALF_INLINE_ __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }

#if defined(__HIP__)

/* Conversions to integers, which saturate. */
#define HIP_HALF_TO_(T, NAME)                                                                                   \
  __device__ static inline T __half2##NAME##_rn(__half x) { return __hip_saturated_<T>(__builtin_rintf(x)); }   \
  __device__ static inline T __half2##NAME##_rz(__half x) { return __hip_saturated_<T>(__builtin_truncf(x)); }  \
  __device__ static inline T __half2##NAME##_ru(__half x) { return __hip_saturated_<T>(__builtin_ceilf(x)); }   \
  __device__ static inline T __half2##NAME##_rd(__half x) { return __hip_saturated_<T>(__builtin_floorf(x)); }
HIP_HALF_TO_(int, int)
HIP_HALF_TO_(unsigned int, uint)
HIP_HALF_TO_(short, short)
HIP_HALF_TO_(unsigned short, ushort)
HIP_HALF_TO_(long long, ll)
HIP_HALF_TO_(unsigned long long, ull)
#undef HIP_HALF_TO_

/* Functions of one argument, calculated in float. */
#define HIP_HALF_MATH_(NAME, EXPRESSION)                              \
  __device__ static inline __half h##NAME(__half number) {            \
    const float x = __half2float(number);                             \
    return __float2half(EXPRESSION);                                  \
  }                                                                   \
  __device__ static inline __half2 h2##NAME(__half2 numbers) {        \
    return __half2(h##NAME(numbers.x), h##NAME(numbers.y));           \
  }
HIP_HALF_MATH_(ceil, __builtin_ceilf(x))
HIP_HALF_MATH_(floor, __builtin_floorf(x))
HIP_HALF_MATH_(trunc, __builtin_truncf(x))
HIP_HALF_MATH_(rint, __builtin_rintf(x))
HIP_HALF_MATH_(sqrt, __builtin_sqrtf(x))
HIP_HALF_MATH_(rsqrt, rsqrtf(x))
HIP_HALF_MATH_(rcp, 1.0f / x)
HIP_HALF_MATH_(sin, sinf(x))
HIP_HALF_MATH_(cos, cosf(x))
HIP_HALF_MATH_(exp, expf(x))
HIP_HALF_MATH_(exp2, exp2f(x))
HIP_HALF_MATH_(exp10, exp10f(x))
HIP_HALF_MATH_(log, logf(x))
HIP_HALF_MATH_(log2, log2f(x))
HIP_HALF_MATH_(log10, log10f(x))
#undef HIP_HALF_MATH_

#define HIP_HALF_SHUFFLE_(T)                                                                               \
  __device__ static inline __attribute__((convergent)) T __shfl(T value, int lane, int width = warpSize) {  \
    return __hip_value_of_lane_(value, __hip_lane_of_part_(lane, width));                                  \
  }                                                                                                        \
  __device__ static inline __attribute__((convergent)) T __shfl_up(T value, unsigned delta,                \
                                                                   int width = warpSize) {                 \
    return __hip_value_of_lane_(value, __hip_lane_above_(delta, width));                                   \
  }                                                                                                        \
  __device__ static inline __attribute__((convergent)) T __shfl_down(T value, unsigned delta,              \
                                                                     int width = warpSize) {               \
    return __hip_value_of_lane_(value, __hip_lane_below_(delta, width));                                   \
  }                                                                                                        \
  __device__ static inline __attribute__((convergent)) T __shfl_xor(T value, int mask, int width = warpSize) { \
    return __hip_value_of_lane_(value, __hip_lane_across_(mask, width));                                   \
  }
HIP_HALF_SHUFFLE_(__half)
HIP_HALF_SHUFFLE_(__half2)
#undef HIP_HALF_SHUFFLE_

#endif /* __HIP__ */

#undef HIP_HALF_INLINE_

#else

/* C, and compilers without a type for these numbers, see the bits alone. */
typedef struct __half_raw {
  unsigned short x;
} __half_raw;
typedef struct __half2_raw {
  unsigned short x, y;
} __half2_raw;
typedef __half_raw __half;
typedef __half2_raw __half2;
typedef __half half;
typedef __half2 half2;

#endif
#endif /* HIP_FP16_H_ */
