// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of half precision with rounding (OpenCL C 6.15.8), which HSAIL's conversions do. Those of libclc change small numbers before they
// convert them and so lose the direction.

OVERLOAD half half_of(float x) { return (half)x; }
OVERLOAD half half_of_rte(float x) { return (half)x; }
OVERLOAD half half_of_rtz(float x) { return __hsail_cvt_zero_f16_f32(x); }
OVERLOAD half half_of_rtp(float x) { return __hsail_cvt_up_f16_f32(x); }
OVERLOAD half half_of_rtn(float x) { return __hsail_cvt_down_f16_f32(x); }
OVERLOAD half half_of(double x) { return (half)x; }
OVERLOAD half half_of_rte(double x) { return (half)x; }
OVERLOAD half half_of_rtz(double x) { return __hsail_cvt_zero_f16_f64(x); }
OVERLOAD half half_of_rtp(double x) { return __hsail_cvt_up_f16_f64(x); }
OVERLOAD half half_of_rtn(double x) { return __hsail_cvt_down_f16_f64(x); }

#define FOR_ROUNDINGS(X, ...) X(, __VA_ARGS__) X(_rte, __VA_ARGS__) X(_rtz, __VA_ARGS__) X(_rtp, __VA_ARGS__) X(_rtn, __VA_ARGS__)
#define CONVERT_VECTORS(R, T) VECTORIZE_1(half_of##R, half, T)
FOR_ROUNDINGS(CONVERT_VECTORS, float)
FOR_ROUNDINGS(CONVERT_VECTORS, double)

#define STORE_HALF(R, SPACE, T) \
  OVERLOAD void vstore_half##R(T x, size_t at, SPACE half* to) { to[at] = half_of##R(x); } \
  OVERLOAD void vstorea_half##R(T x, size_t at, SPACE half* to) { to[at] = half_of##R(x); }
// Vectors are aligned like their elements, or, for vstorea_half, like vectors of half, of which three have the size of four.
#define STORE_HALVES(R, SPACE, T, N) \
  OVERLOAD void vstore_half##N##R(T##N x, size_t at, SPACE half* to) { vstore##N(half_of##R(x), at, to); } \
  OVERLOAD void vstorea_half##N##R(T##N x, size_t at, SPACE half* to) { ((SPACE half##N*)to)[at] = half_of##R(x); }
#define HALF_STORES(SPACE, T) \
  FOR_ROUNDINGS(STORE_HALF, SPACE, T) \
  FOR_ROUNDINGS(STORE_HALVES, SPACE, T, 2) \
  FOR_ROUNDINGS(STORE_HALVES, SPACE, T, 3) \
  FOR_ROUNDINGS(STORE_HALVES, SPACE, T, 4) \
  FOR_ROUNDINGS(STORE_HALVES, SPACE, T, 8) \
  FOR_ROUNDINGS(STORE_HALVES, SPACE, T, 16)
HALF_STORES(generic, float)
HALF_STORES(global, float)
HALF_STORES(local, float)
HALF_STORES(private, float)
HALF_STORES(generic, double)
HALF_STORES(global, double)
HALF_STORES(local, double)
HALF_STORES(private, double)
