// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions that are one instruction of HSAIL, and that libclc computes with integers because some of AMD's processors
// lack them (OpenCL C 6.15.2).

#define FUSED(T) \
  OVERLOAD T fma(T x, T y, T z) { return __builtin_elementwise_fma(x, y, z); }
FUSED(half) FOR_VECTORS_OF(FUSED, half)
FUSED(float) FOR_VECTORS_OF(FUSED, float)
FUSED(double) FOR_VECTORS_OF(FUSED, double)
