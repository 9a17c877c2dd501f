/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Floating-point numbers of 16 bits and pairs of them, for any format: hip_fp16.h and hip_bf16.h name two.
 * Host and device can both calculate with them. Everything is calculated in float, and the result rounded to
 * the nearest number, ties to even: float has more than twice the bits that the formats have, so that
 * rounding twice gives what rounding once would.
 *
 * A format has `from_float` (to the nearest) and `to_float`. The highest of its bits is the sign, and the
 * others order numbers by their absolute value. `infinity` is the bits of infinity: whatever is above it is
 * NaN.
 */
#ifndef HIP_DEVICE_REAL16_H_
#define HIP_DEVICE_REAL16_H_

#include <hip/device/warps.h>
#include <hip/hip_vector_types.h>
#include <hip/host_defines.h>

#ifdef __cplusplus

#include <type_traits>

#define HIP_REAL16_ __HOST_DEVICE__ inline

template <typename Format>
struct __hip_real16_pair;

template <typename Format>
struct __hip_real16 {
  unsigned short __x; /* the bits */

  __hip_real16() = default;
  template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
  HIP_REAL16_ __hip_real16(T x) : __x(Format::from_float(static_cast<float>(x))) {}
  HIP_REAL16_ __hip_real16(double x) : __x(nearest_(x).__x) {}
  HIP_REAL16_ __hip_real16(const typename Format::raw& raw) : __x(raw.x) {}
  HIP_REAL16_ static __hip_real16 of_bits(unsigned bits) {
    __hip_real16 result;
    result.__x = static_cast<unsigned short>(bits);
    return result;
  }

  template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
  HIP_REAL16_ operator T() const {
    return static_cast<T>(Format::to_float(__x));
  }
  HIP_REAL16_ operator typename Format::raw() const {
    typename Format::raw raw;
    raw.x = __x;
    return raw;
  }

  HIP_REAL16_ bool is_nan_() const { return (__x & 0x7fff) > Format::infinity; }
  HIP_REAL16_ __hip_real16 operator+() const { return *this; }
  HIP_REAL16_ __hip_real16 operator-() const { return of_bits(__x ^ 0x8000u); }

#define HIP_REAL16_ARITHMETIC_(OP)                                                            \
  friend HIP_REAL16_ __hip_real16 operator OP(const __hip_real16& a, const __hip_real16& b) { \
    return __hip_real16(static_cast<float>(a) OP static_cast<float>(b));                      \
  }                                                                                           \
  HIP_REAL16_ __hip_real16& operator OP## = (const __hip_real16& b) { return *this = *this OP b; }
  HIP_REAL16_ARITHMETIC_(+)
  HIP_REAL16_ARITHMETIC_(-)
  HIP_REAL16_ARITHMETIC_(*)
  HIP_REAL16_ARITHMETIC_(/)
#undef HIP_REAL16_ARITHMETIC_
#define HIP_REAL16_COMPARISON_(OP)                                                    \
  friend HIP_REAL16_ bool operator OP(const __hip_real16& a, const __hip_real16& b) { \
    return static_cast<float>(a) OP static_cast<float>(b);                            \
  }
  HIP_REAL16_COMPARISON_(==)
  HIP_REAL16_COMPARISON_(!=)
  HIP_REAL16_COMPARISON_(<)
  HIP_REAL16_COMPARISON_(<=)
  HIP_REAL16_COMPARISON_(>)
  HIP_REAL16_COMPARISON_(>=)
#undef HIP_REAL16_COMPARISON_
  HIP_REAL16_ __hip_real16& operator++() { return *this += __hip_real16(1.0f); }
  HIP_REAL16_ __hip_real16& operator--() { return *this -= __hip_real16(1.0f); }
  HIP_REAL16_ __hip_real16 operator++(int) {
    const __hip_real16 before = *this;
    ++*this;
    return before;
  }
  HIP_REAL16_ __hip_real16 operator--(int) {
    const __hip_real16 before = *this;
    --*this;
    return before;
  }

  /* The largest number that is not above x, and the smallest that is not below it: the nearest number, moved
   * by one step if it is on the wrong side. */
  template <typename W>
  HIP_REAL16_ static __hip_real16 down_(W x) {
    const __hip_real16 near(static_cast<float>(x));
    if (!(static_cast<W>(static_cast<float>(near)) > x)) return near;
    if ((near.__x & 0x7fff) == 0) return of_bits(0x8001);
    return of_bits((near.__x & 0x8000) != 0 ? near.__x + 1u : near.__x - 1u);
  }
  template <typename W>
  HIP_REAL16_ static __hip_real16 up_(W x) {
    return -down_(-x);
  }
  template <typename W>
  HIP_REAL16_ static __hip_real16 truncated_(W x) {
    return x < 0 ? up_(x) : down_(x);
  }
  /* A double goes through a float whose last bit is 1 if anything was dropped. Such a float is not halfway
   * between two numbers of the format, and the number nearest to it is the one nearest to the double. */
  HIP_REAL16_ static __hip_real16 nearest_(double x) {
    const float near = static_cast<float>(x);
    if (static_cast<double>(near) == x || x != x) return __hip_real16(near);
    unsigned bits;
    __builtin_memcpy(&bits, &near, sizeof bits);
    if (__builtin_fabs(static_cast<double>(near)) > __builtin_fabs(x)) --bits;
    bits |= 1;
    float odd;
    __builtin_memcpy(&odd, &bits, sizeof odd);
    return __hip_real16(odd);
  }

  /* The functions of HIP for single numbers. Results with _sat lie in [0, 1], and NaN becomes 0. */
  friend HIP_REAL16_ __hip_real16 __hadd(__hip_real16 a, __hip_real16 b) { return a + b; }
  friend HIP_REAL16_ __hip_real16 __hsub(__hip_real16 a, __hip_real16 b) { return a - b; }
  friend HIP_REAL16_ __hip_real16 __hmul(__hip_real16 a, __hip_real16 b) { return a * b; }
  friend HIP_REAL16_ __hip_real16 __hdiv(__hip_real16 a, __hip_real16 b) { return a / b; }
  /* The product is exact in double. What the sum loses there is far below half a step of the result. */
  friend HIP_REAL16_ __hip_real16 __hfma(__hip_real16 a, __hip_real16 b, __hip_real16 c) {
    return __hip_real16(static_cast<double>(static_cast<float>(a)) *
                            static_cast<double>(static_cast<float>(b)) +
                        static_cast<double>(static_cast<float>(c)));
  }
  HIP_REAL16_ __hip_real16 saturated_() const {
    return *this > of_bits(0) ? *this < __hip_real16(1.0f) ? *this : __hip_real16(1.0f) : of_bits(0);
  }
  friend HIP_REAL16_ __hip_real16 __hadd_sat(__hip_real16 a, __hip_real16 b) { return (a + b).saturated_(); }
  friend HIP_REAL16_ __hip_real16 __hsub_sat(__hip_real16 a, __hip_real16 b) { return (a - b).saturated_(); }
  friend HIP_REAL16_ __hip_real16 __hmul_sat(__hip_real16 a, __hip_real16 b) { return (a * b).saturated_(); }
  friend HIP_REAL16_ __hip_real16 __hfma_sat(__hip_real16 a, __hip_real16 b, __hip_real16 c) {
    return __hfma(a, b, c).saturated_();
  }
  friend HIP_REAL16_ __hip_real16 __hneg(__hip_real16 x) { return -x; }
  friend HIP_REAL16_ __hip_real16 __habs(__hip_real16 x) { return of_bits(x.__x & 0x7fffu); }
  friend HIP_REAL16_ bool __hisnan(__hip_real16 x) { return x.is_nan_(); }
  friend HIP_REAL16_ int __hisinf(__hip_real16 x) {
    return (x.__x & 0x7fff) == Format::infinity ? ((x.__x & 0x8000) != 0 ? -1 : 1) : 0;
  }

  /* Comparisons; those whose names end in u are also true if an operand is NaN. */
#define HIP_REAL16_COMPARE_(NAME, OP)                                    \
  friend HIP_REAL16_ bool __h##NAME(__hip_real16 a, __hip_real16 b) {    \
    return !a.is_nan_() && !b.is_nan_() && a OP b;                       \
  }                                                                      \
  friend HIP_REAL16_ bool __h##NAME##u(__hip_real16 a, __hip_real16 b) { \
    return a.is_nan_() || b.is_nan_() || a OP b;                         \
  }
  HIP_REAL16_COMPARE_(eq, ==)
  HIP_REAL16_COMPARE_(ne, !=)
  HIP_REAL16_COMPARE_(le, <=)
  HIP_REAL16_COMPARE_(ge, >=)
  HIP_REAL16_COMPARE_(lt, <)
  HIP_REAL16_COMPARE_(gt, >)
#undef HIP_REAL16_COMPARE_
  /* The smaller and the larger of two; a number counts more than NaN. */
  friend HIP_REAL16_ __hip_real16 __hmin(__hip_real16 a, __hip_real16 b) {
    return a.is_nan_() ? b : b.is_nan_() ? a : b < a ? b : a;
  }
  friend HIP_REAL16_ __hip_real16 __hmax(__hip_real16 a, __hip_real16 b) {
    return a.is_nan_() ? b : b.is_nan_() ? a : a < b ? b : a;
  }
  /* The same, but NaN counts more than a number. */
  friend HIP_REAL16_ __hip_real16 __hmin_nan(__hip_real16 a, __hip_real16 b) {
    return a.is_nan_() ? a : b.is_nan_() ? b : b < a ? b : a;
  }
  friend HIP_REAL16_ __hip_real16 __hmax_nan(__hip_real16 a, __hip_real16 b) {
    return a.is_nan_() ? a : b.is_nan_() ? b : a < b ? b : a;
  }

#if defined(__HIP__)
#define HIP_REAL16_MATH_(NAME, EXPRESSION)                             \
  friend __device__ inline __hip_real16 h##NAME(__hip_real16 number) { \
    const float x = static_cast<float>(number);                        \
    return __hip_real16(EXPRESSION);                                   \
  }
  HIP_REAL16_MATH_(ceil, __builtin_ceilf(x))
  HIP_REAL16_MATH_(floor, __builtin_floorf(x))
  HIP_REAL16_MATH_(trunc, __builtin_truncf(x))
  HIP_REAL16_MATH_(rint, __builtin_rintf(x))
  HIP_REAL16_MATH_(sqrt, __builtin_sqrtf(x))
  HIP_REAL16_MATH_(rsqrt, rsqrtf(x))
  HIP_REAL16_MATH_(rcp, 1.0f / x)
  HIP_REAL16_MATH_(sin, sinf(x))
  HIP_REAL16_MATH_(cos, cosf(x))
  HIP_REAL16_MATH_(exp, expf(x))
  HIP_REAL16_MATH_(exp2, exp2f(x))
  HIP_REAL16_MATH_(exp10, exp10f(x))
  HIP_REAL16_MATH_(log, logf(x))
  HIP_REAL16_MATH_(log2, log2f(x))
  HIP_REAL16_MATH_(log10, log10f(x))
#undef HIP_REAL16_MATH_
#endif
};

template <typename Format>
struct alignas(4) __hip_real16_pair {
  typedef __hip_real16<Format> element;
  element x, y;

  __hip_real16_pair() = default;
  HIP_REAL16_ __hip_real16_pair(element both) : x(both), y(both) {}
  HIP_REAL16_ __hip_real16_pair(element x_, element y_) : x(x_), y(y_) {}
  HIP_REAL16_ __hip_real16_pair(const typename Format::raw_pair& raw)
      : x(element::of_bits(raw.x)), y(element::of_bits(raw.y)) {}
  HIP_REAL16_ operator typename Format::raw_pair() const {
    typename Format::raw_pair raw;
    raw.x = x.__x;
    raw.y = y.__x;
    return raw;
  }
  /* The pair of what a function of numbers says of each element: 1 for true and 0 for false. */
  HIP_REAL16_ static __hip_real16_pair truth_(bool x, bool y) {
    return __hip_real16_pair(element(x ? 1.0f : 0.0f), element(y ? 1.0f : 0.0f));
  }

#define HIP_REAL16_ARITHMETIC_(OP)                                                                           \
  friend HIP_REAL16_ __hip_real16_pair operator OP(const __hip_real16_pair& a, const __hip_real16_pair& b) { \
    return __hip_real16_pair(a.x OP b.x, a.y OP b.y);                                                        \
  }                                                                                                          \
  HIP_REAL16_ __hip_real16_pair& operator OP## = (const __hip_real16_pair& b) { return *this = *this OP b; }
  HIP_REAL16_ARITHMETIC_(+)
  HIP_REAL16_ARITHMETIC_(-)
  HIP_REAL16_ARITHMETIC_(*)
  HIP_REAL16_ARITHMETIC_(/)
#undef HIP_REAL16_ARITHMETIC_
  HIP_REAL16_ __hip_real16_pair operator-() const { return __hip_real16_pair(-x, -y); }
  HIP_REAL16_ __hip_real16_pair& operator++() { return *this += __hip_real16_pair(element(1.0f)); }
  HIP_REAL16_ __hip_real16_pair& operator--() { return *this -= __hip_real16_pair(element(1.0f)); }
#define HIP_REAL16_COMPARISON_(OP)                                                              \
  friend HIP_REAL16_ bool operator OP(const __hip_real16_pair& a, const __hip_real16_pair& b) { \
    return a.x OP b.x && a.y OP b.y;                                                            \
  }
  HIP_REAL16_COMPARISON_(==)
  HIP_REAL16_COMPARISON_(<)
  HIP_REAL16_COMPARISON_(<=)
  HIP_REAL16_COMPARISON_(>)
  HIP_REAL16_COMPARISON_(>=)
#undef HIP_REAL16_COMPARISON_
  friend HIP_REAL16_ bool operator!=(const __hip_real16_pair& a, const __hip_real16_pair& b) {
    return !(a == b);
  }

#if defined(__HIP__)
  /* Atomic operations, for all work-items of the device: a pair is exchanged as one word. */
  friend __device__ inline __hip_real16_pair atomicAdd(__hip_real16_pair* object, __hip_real16_pair value) {
    unsigned* const word = reinterpret_cast<unsigned*>(object);
    unsigned seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (;;) {
      const __hip_real16_pair before = __builtin_bit_cast(__hip_real16_pair, seen);
      const unsigned after = __builtin_bit_cast(unsigned, before + value);
      if (__hip_atomic_compare_exchange_strong(word, &seen, after, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT))
        return before;
    }
  }
  friend __device__ inline __hip_real16_pair unsafeAtomicAdd(__hip_real16_pair* object,
                                                             __hip_real16_pair value) {
    return atomicAdd(object, value);
  }
#endif

  /* The functions of HIP for pairs, element by element. */
#define HIP_REAL16_BOTH_(NAME, ONE)                                                     \
  friend HIP_REAL16_ __hip_real16_pair NAME(__hip_real16_pair a, __hip_real16_pair b) { \
    return __hip_real16_pair(ONE(a.x, b.x), ONE(a.y, b.y));                             \
  }
#define HIP_REAL16_EACH_(NAME, ONE)                                \
  friend HIP_REAL16_ __hip_real16_pair NAME(__hip_real16_pair a) { \
    return __hip_real16_pair(ONE(a.x), ONE(a.y));                  \
  }
  HIP_REAL16_BOTH_(__hadd2, __hadd)
  HIP_REAL16_BOTH_(__hsub2, __hsub)
  HIP_REAL16_BOTH_(__hmul2, __hmul)
  HIP_REAL16_BOTH_(__h2div, __hdiv)
  HIP_REAL16_BOTH_(__hadd2_sat, __hadd_sat)
  HIP_REAL16_BOTH_(__hsub2_sat, __hsub_sat)
  HIP_REAL16_BOTH_(__hmul2_sat, __hmul_sat)
  HIP_REAL16_BOTH_(__hmin2, __hmin)
  HIP_REAL16_BOTH_(__hmax2, __hmax)
  HIP_REAL16_BOTH_(__hmin2_nan, __hmin_nan)
  HIP_REAL16_BOTH_(__hmax2_nan, __hmax_nan)
  HIP_REAL16_EACH_(__hneg2, __hneg)
  HIP_REAL16_EACH_(__habs2, __habs)
#undef HIP_REAL16_BOTH_
#undef HIP_REAL16_EACH_
  friend HIP_REAL16_ __hip_real16_pair __hfma2(__hip_real16_pair a, __hip_real16_pair b,
                                               __hip_real16_pair c) {
    return __hip_real16_pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
  }
  friend HIP_REAL16_ __hip_real16_pair __hfma2_sat(__hip_real16_pair a, __hip_real16_pair b,
                                                   __hip_real16_pair c) {
    return __hip_real16_pair(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
  }
  friend HIP_REAL16_ __hip_real16_pair __hisnan2(__hip_real16_pair a) {
    return truth_(__hisnan(a.x), __hisnan(a.y));
  }
  friend HIP_REAL16_ __hip_real16_pair __hisinf2(__hip_real16_pair a) {
    return truth_(__hisinf(a.x) != 0, __hisinf(a.y) != 0);
  }
  /* Comparisons of each element, and with hb whether both are true. */
#define HIP_REAL16_COMPARE_(NAME)                                                               \
  friend HIP_REAL16_ __hip_real16_pair __h##NAME##2(__hip_real16_pair a, __hip_real16_pair b) { \
    return truth_(__h##NAME(a.x, b.x), __h##NAME(a.y, b.y));                                    \
  }                                                                                             \
  friend HIP_REAL16_ bool __hb##NAME##2(__hip_real16_pair a, __hip_real16_pair b) {             \
    return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                          \
  }
  HIP_REAL16_COMPARE_(eq)
  HIP_REAL16_COMPARE_(ne)
  HIP_REAL16_COMPARE_(le)
  HIP_REAL16_COMPARE_(ge)
  HIP_REAL16_COMPARE_(lt)
  HIP_REAL16_COMPARE_(gt)
  HIP_REAL16_COMPARE_(equ)
  HIP_REAL16_COMPARE_(neu)
  HIP_REAL16_COMPARE_(leu)
  HIP_REAL16_COMPARE_(geu)
  HIP_REAL16_COMPARE_(ltu)
  HIP_REAL16_COMPARE_(gtu)
#undef HIP_REAL16_COMPARE_
  friend HIP_REAL16_ float __low2float(__hip_real16_pair a) { return static_cast<float>(a.x); }
  friend HIP_REAL16_ float __high2float(__hip_real16_pair a) { return static_cast<float>(a.y); }

#if defined(__HIP__)
#define HIP_REAL16_MATH_(NAME)                                               \
  friend __device__ inline __hip_real16_pair h2##NAME(__hip_real16_pair a) { \
    return __hip_real16_pair(h##NAME(a.x), h##NAME(a.y));                    \
  }
  HIP_REAL16_MATH_(ceil)
  HIP_REAL16_MATH_(floor)
  HIP_REAL16_MATH_(trunc)
  HIP_REAL16_MATH_(rint)
  HIP_REAL16_MATH_(sqrt)
  HIP_REAL16_MATH_(rsqrt)
  HIP_REAL16_MATH_(rcp)
  HIP_REAL16_MATH_(sin)
  HIP_REAL16_MATH_(cos)
  HIP_REAL16_MATH_(exp)
  HIP_REAL16_MATH_(exp2)
  HIP_REAL16_MATH_(exp10)
  HIP_REAL16_MATH_(log)
  HIP_REAL16_MATH_(log2)
  HIP_REAL16_MATH_(log10)
#undef HIP_REAL16_MATH_
#endif
};

#if defined(__HIP__)

/* Shuffles within a wave (device/warps.h). */
#define HIP_REAL16_SHUFFLE_(T)                                                                         \
  template <typename Format>                                                                           \
  __device__ inline __attribute__((convergent)) T<Format> __shfl(T<Format> value, int lane,            \
                                                                 int width = warpSize) {               \
    return __hip_value_of_lane_(value, __hip_lane_of_part_(lane, width));                              \
  }                                                                                                    \
  template <typename Format>                                                                           \
  __device__ inline __attribute__((convergent)) T<Format> __shfl_up(T<Format> value, unsigned delta,   \
                                                                    int width = warpSize) {            \
    return __hip_value_of_lane_(value, __hip_lane_above_(delta, width));                               \
  }                                                                                                    \
  template <typename Format>                                                                           \
  __device__ inline __attribute__((convergent)) T<Format> __shfl_down(T<Format> value, unsigned delta, \
                                                                      int width = warpSize) {          \
    return __hip_value_of_lane_(value, __hip_lane_below_(delta, width));                               \
  }                                                                                                    \
  template <typename Format>                                                                           \
  __device__ inline __attribute__((convergent)) T<Format> __shfl_xor(T<Format> value, int mask,        \
                                                                     int width = warpSize) {           \
    return __hip_value_of_lane_(value, __hip_lane_across_(mask, width));                               \
  }
HIP_REAL16_SHUFFLE_(__hip_real16)
HIP_REAL16_SHUFFLE_(__hip_real16_pair)
#undef HIP_REAL16_SHUFFLE_

#endif

#undef HIP_REAL16_

#endif
#endif /* HIP_DEVICE_REAL16_H_ */
