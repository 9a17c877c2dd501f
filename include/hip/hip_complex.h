/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Complex numbers on host and device: x is the real part, y the imaginary one.
 */
#ifndef HIP_COMPLEX_H_
#define HIP_COMPLEX_H_

#include <hip/hip_vector_types.h>
#include <math.h>

#define HIP_COMPLEX_INLINE_ __HOST_DEVICE__ static inline

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

/* The functions of one type. Division scales by the larger part of the divisor, and the absolute value is
 * hypot(), so that neither overflows before its result does. F is the suffix of their names. */
#define HIP_COMPLEX_FUNCTIONS_(COMPLEX, REAL, F, MAKE, VECTOR)                                          \
  HIP_COMPLEX_INLINE_ COMPLEX MAKE(REAL a, REAL b) { return VECTOR(a, b); }                             \
  HIP_COMPLEX_INLINE_ REAL hipCreal##F(COMPLEX z) { return z.x; }                                       \
  HIP_COMPLEX_INLINE_ REAL hipCimag##F(COMPLEX z) { return z.y; }                                       \
  HIP_COMPLEX_INLINE_ COMPLEX hipConj##F(COMPLEX z) { return VECTOR(z.x, -z.y); }                       \
  HIP_COMPLEX_INLINE_ REAL hipCsqabs##F(COMPLEX z) { return z.x * z.x + z.y * z.y; }                    \
  HIP_COMPLEX_INLINE_ REAL hipCabs##F(COMPLEX z) { return hypot##F(z.x, z.y); }                         \
  HIP_COMPLEX_INLINE_ COMPLEX hipCadd##F(COMPLEX p, COMPLEX q) { return VECTOR(p.x + q.x, p.y + q.y); } \
  HIP_COMPLEX_INLINE_ COMPLEX hipCsub##F(COMPLEX p, COMPLEX q) { return VECTOR(p.x - q.x, p.y - q.y); } \
  HIP_COMPLEX_INLINE_ COMPLEX hipCmul##F(COMPLEX p, COMPLEX q) {                                        \
    return VECTOR(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y);                                        \
  }                                                                                                     \
  HIP_COMPLEX_INLINE_ COMPLEX hipCdiv##F(COMPLEX p, COMPLEX q) {                                        \
    const REAL scale = fabs##F(q.x) + fabs##F(q.y);                                                     \
    const REAL px = p.x / scale, py = p.y / scale, qx = q.x / scale, qy = q.y / scale;                  \
    const REAL square = qx * qx + qy * qy;                                                              \
    return VECTOR((px * qx + py * qy) / square, (py * qx - px * qy) / square);                          \
  }                                                                                                     \
  HIP_COMPLEX_INLINE_ COMPLEX hipCfma##F(COMPLEX p, COMPLEX q, COMPLEX r) {                             \
    return hipCadd##F(hipCmul##F(p, q), r);                                                             \
  }

HIP_COMPLEX_FUNCTIONS_(hipFloatComplex, float, f, make_hipFloatComplex, make_float2)
HIP_COMPLEX_FUNCTIONS_(hipDoubleComplex, double, , make_hipDoubleComplex, make_double2)

HIP_COMPLEX_INLINE_ hipComplex make_hipComplex(float x, float y) { return make_float2(x, y); }
HIP_COMPLEX_INLINE_ hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
  return make_float2((float)z.x, (float)z.y);
}
HIP_COMPLEX_INLINE_ hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) {
  return make_double2((double)z.x, (double)z.y);
}

#undef HIP_COMPLEX_FUNCTIONS_
#undef HIP_COMPLEX_INLINE_

#endif /* HIP_COMPLEX_H_ */
