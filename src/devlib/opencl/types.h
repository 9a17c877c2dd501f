// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of OpenCL C's types, from which overloads are made: X is called for each scalar type, V for each
// vector of one.
#pragma once

#define FOR_INTEGERS(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define FOR_NUMBERS(X) FOR_INTEGERS(X) X(half) X(float) X(double)
#define FOR_VECTORS_OF(V, T) V(T##2) V(T##3) V(T##4) V(T##8) V(T##16)

// Makes the overloads for vectors of a function F(T...) -> R of one, two or three arguments from that for
// scalars.
#define VECTORIZE_1(F, R, T)                                            \
  OVERLOAD R##2 F(T##2 a) { return (R##2)(F(a.s0), F(a.s1)); }          \
  OVERLOAD R##3 F(T##3 a) { return (R##3)(F(a.s0), F(a.s1), F(a.s2)); } \
  OVERLOAD R##4 F(T##4 a) { return (R##4)(F(a.lo), F(a.hi)); }          \
  OVERLOAD R##8 F(T##8 a) { return (R##8)(F(a.lo), F(a.hi)); }          \
  OVERLOAD R##16 F(T##16 a) { return (R##16)(F(a.lo), F(a.hi)); }

#define VECTORIZE_2(F, R, T)                                                                      \
  OVERLOAD R##2 F(T##2 a, T##2 b) { return (R##2)(F(a.s0, b.s0), F(a.s1, b.s1)); }                \
  OVERLOAD R##3 F(T##3 a, T##3 b) { return (R##3)(F(a.s0, b.s0), F(a.s1, b.s1), F(a.s2, b.s2)); } \
  OVERLOAD R##4 F(T##4 a, T##4 b) { return (R##4)(F(a.lo, b.lo), F(a.hi, b.hi)); }                \
  OVERLOAD R##8 F(T##8 a, T##8 b) { return (R##8)(F(a.lo, b.lo), F(a.hi, b.hi)); }                \
  OVERLOAD R##16 F(T##16 a, T##16 b) { return (R##16)(F(a.lo, b.lo), F(a.hi, b.hi)); }

#define VECTORIZE_3(F, R, T)                                                                           \
  OVERLOAD R##2 F(T##2 a, T##2 b, T##2 c) { return (R##2)(F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1)); } \
  OVERLOAD R##3 F(T##3 a, T##3 b, T##3 c) {                                                            \
    return (R##3)(F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1), F(a.s2, b.s2, c.s2));                      \
  }                                                                                                    \
  OVERLOAD R##4 F(T##4 a, T##4 b, T##4 c) { return (R##4)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); } \
  OVERLOAD R##8 F(T##8 a, T##8 b, T##8 c) { return (R##8)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); } \
  OVERLOAD R##16 F(T##16 a, T##16 b, T##16 c) { return (R##16)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); }
