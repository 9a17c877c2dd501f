/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Conversions with a rounding mode in the name: rn to the nearest, ties to even; rz towards zero; ru up; rd
 * down. Floating-point numbers that the integer cannot hold become its nearest value, and NaN becomes 0.
 * Functions with _as_ keep the bits.
 */
#ifndef HIP_DEVICE_CONVERSIONS_H_
#define HIP_DEVICE_CONVERSIONS_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_DEVICE_INLINE_ __device__ static inline __attribute__((always_inline))

/* A conversion whose result is beyond the range of T is undefined in C++ and defined here. */
template <typename T, typename R>
HIP_DEVICE_INLINE_ T __hip_saturated_(R x) {
  constexpr bool is_signed = T(-1) < T(0);
  constexpr int bits = 8 * sizeof(T);
  constexpr T highest = is_signed ? T(~(T(1) << (bits - 1))) : T(~T(0));
  constexpr T lowest = is_signed ? T(T(1) << (bits - 1)) : T(0);
  /* The first power of two above the range; exact in R for every T. */
  constexpr R end = R(T(1) << (bits - 2)) * (is_signed ? R(2) : R(4));
  if (x != x) return 0;
  if (x >= end) return highest;
  if (x < (is_signed ? -end : R(0))) return lowest;
  return (T)x;
}

#define HIP_TO_INTEGERS_(R, NAME, SUFFIX)           \
  HIP_TO_INTEGER_(R, NAME##2int, int, SUFFIX)       \
  HIP_TO_INTEGER_(R, NAME##2uint, unsigned, SUFFIX) \
  HIP_TO_INTEGER_(R, NAME##2ll, long long, SUFFIX)  \
  HIP_TO_INTEGER_(R, NAME##2ull, unsigned long long, SUFFIX)
#define HIP_TO_INTEGER_(R, NAME, T, SUFFIX)                                                       \
  HIP_DEVICE_INLINE_ T NAME##_rn(R x) { return __hip_saturated_<T>(__builtin_rint##SUFFIX(x)); }  \
  HIP_DEVICE_INLINE_ T NAME##_rz(R x) { return __hip_saturated_<T>(__builtin_trunc##SUFFIX(x)); } \
  HIP_DEVICE_INLINE_ T NAME##_ru(R x) { return __hip_saturated_<T>(__builtin_ceil##SUFFIX(x)); }  \
  HIP_DEVICE_INLINE_ T NAME##_rd(R x) { return __hip_saturated_<T>(__builtin_floor##SUFFIX(x)); }

HIP_TO_INTEGERS_(float, __float, f)
HIP_TO_INTEGERS_(double, __double, )
#undef HIP_TO_INTEGER_
#undef HIP_TO_INTEGERS_

/* Conversions to floating-point numbers. The nearest number is corrected by one step where it is on the wrong
 * side; `__hip_exact_compare_` tells without rounding on which side it is. */
template <typename R, typename T>
HIP_DEVICE_INLINE_ int __hip_exact_compare_(R near, T x) {
  constexpr R end = R(T(1) << (8 * sizeof(T) - 2)) * (T(-1) < T(0) ? R(2) : R(4));
  if (near >= end) return 1;
  const T back = (T)near;
  return back > x ? 1 : back < x ? -1 : 0;
}
HIP_DEVICE_INLINE_ float __hip_next_(float x, int step) {
  return __builtin_bit_cast(float, __builtin_bit_cast(int, x) + (x < 0 ? -step : step));
}
HIP_DEVICE_INLINE_ double __hip_next_(double x, int step) {
  return __builtin_bit_cast(double, __builtin_bit_cast(long long, x) + (x < 0 ? -step : step));
}
template <typename R, typename T>
HIP_DEVICE_INLINE_ R __hip_real_down_(T x) {
  const R near = (R)x;
  return __hip_exact_compare_(near, x) > 0 ? __hip_next_(near, -1) : near;
}
template <typename R, typename T>
HIP_DEVICE_INLINE_ R __hip_real_up_(T x) {
  const R near = (R)x;
  return __hip_exact_compare_(near, x) < 0 ? __hip_next_(near, 1) : near;
}

#define HIP_TO_REAL_(T, NAME, R)                                         \
  HIP_DEVICE_INLINE_ R NAME##_rn(T x) { return (R)x; }                   \
  HIP_DEVICE_INLINE_ R NAME##_rd(T x) { return __hip_real_down_<R>(x); } \
  HIP_DEVICE_INLINE_ R NAME##_ru(T x) { return __hip_real_up_<R>(x); }   \
  HIP_DEVICE_INLINE_ R NAME##_rz(T x) { return x < 0 ? __hip_real_up_<R>(x) : __hip_real_down_<R>(x); }

HIP_TO_REAL_(int, __int2float, float)
HIP_TO_REAL_(unsigned, __uint2float, float)
HIP_TO_REAL_(long long, __ll2float, float)
HIP_TO_REAL_(unsigned long long, __ull2float, float)
HIP_TO_REAL_(long long, __ll2double, double)
HIP_TO_REAL_(unsigned long long, __ull2double, double)
#undef HIP_TO_REAL_
HIP_DEVICE_INLINE_ double __int2double_rn(int x) { return (double)x; }
HIP_DEVICE_INLINE_ double __uint2double_rn(unsigned x) { return (double)x; }

HIP_DEVICE_INLINE_ float __double2float_rn(double x) { return (float)x; }
HIP_DEVICE_INLINE_ float __double2float_rd(double x) {
  const float near = (float)x;
  if (!(near > x)) return near;
  return near == 0 ? -__builtin_bit_cast(float, 1) : __hip_next_(near, -1);
}
HIP_DEVICE_INLINE_ float __double2float_ru(double x) {
  const float near = (float)x;
  if (!(near < x)) return near;
  return near == 0 ? __builtin_bit_cast(float, 1) : __hip_next_(near, 1);
}
HIP_DEVICE_INLINE_ float __double2float_rz(double x) {
  return x < 0 ? __double2float_ru(x) : __double2float_rd(x);
}

HIP_DEVICE_INLINE_ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HIP_DEVICE_INLINE_ unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HIP_DEVICE_INLINE_ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE_INLINE_ float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE_INLINE_ long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HIP_DEVICE_INLINE_ double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HIP_DEVICE_INLINE_ int __double2hiint(double x) {
  return (int)(__builtin_bit_cast(unsigned long long, x) >> 32);
}
HIP_DEVICE_INLINE_ int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
HIP_DEVICE_INLINE_ double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

#undef HIP_DEVICE_INLINE_

#endif
#endif /* HIP_DEVICE_CONVERSIONS_H_ */
