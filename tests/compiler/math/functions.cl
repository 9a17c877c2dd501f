// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel for each mathematical function of OpenCL C, for numbers of type E, such as float, in vectors of W elements; W is
// empty for scalars. All arguments and results are arrays of E.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define V PASTE(E, W)
#define INT PASTE(int, W)
#define TO_INT PASTE(PASTE(convert_int, W), _sat)
#define TO_V PASTE(PASTE(convert_, E), W)
#ifdef VECTOR
#define LOAD(p) PASTE(vload, W)(get_global_id(0), p)
#define STORE(v) PASTE(vstore, W)(v, get_global_id(0), out)
#else
#define LOAD(p) p[get_global_id(0)]
#define STORE(v) out[get_global_id(0)] = v
#endif
#define OF_1(name, e) kernel void test_##name(global E* out, global const E* a) { const V x = LOAD(a); STORE(e); }
#define OF_2(name, e) \
  kernel void test_##name(global E* out, global const E* a, global const E* b) { const V x = LOAD(a), y = LOAD(b); STORE(e); }
#define OF_3(name, e) \
  kernel void test_##name(global E* out, global const E* a, global const E* b, global const E* c) { \
    const V x = LOAD(a), y = LOAD(b), z = LOAD(c); \
    STORE(e); \
  }
#define UNARY(f) OF_1(f, f(x))
#define BINARY(f) OF_2(f, f(x, y))

// Values that functions store beside what they return.
V second_of_fract(V x) { V whole; fract(x, &whole); return whole; }
V second_of_modf(V x) { V whole; modf(x, &whole); return whole; }
V second_of_sincos(V x) { V cosine; sincos(x, &cosine); return cosine; }
V first_of_fract(V x) { V whole; return fract(x, &whole); }
V first_of_modf(V x) { V whole; return modf(x, &whole); }
V first_of_sincos(V x) { V cosine; return sincos(x, &cosine); }
V first_of_frexp(V x) { INT exponent; return frexp(x, &exponent); }
V second_of_frexp(V x) { INT exponent; frexp(x, &exponent); return TO_V(exponent); }
V first_of_lgamma_r(V x) { INT sign; return lgamma_r(x, &sign); }
V first_of_remquo(V x, V y) { INT quotient; return remquo(x, y, &quotient); }
V second_of_remquo(V x, V y) {  // at least the lower seven bits have to be right
  INT quotient = 0;
  remquo(x, y, &quotient);
  const INT low = TO_INT(TO_V(quotient < 0 ? -quotient : quotient)) & 127;
  return TO_V(quotient < 0 ? -low : low);
}

UNARY(exp) UNARY(exp2) UNARY(exp10) UNARY(expm1)
UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p)
UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh) UNARY(atanh)
UNARY(sin) UNARY(cos) UNARY(tan) UNARY(sinpi) UNARY(cospi) UNARY(tanpi)
UNARY(asin) UNARY(acos) UNARY(atan) UNARY(asinpi) UNARY(acospi) UNARY(atanpi)
UNARY(cbrt) UNARY(sqrt) UNARY(rsqrt)
UNARY(erf) UNARY(erfc) UNARY(tgamma) UNARY(lgamma)
UNARY(ceil) UNARY(floor) UNARY(trunc) UNARY(rint) UNARY(round) UNARY(fabs) UNARY(logb)
UNARY(degrees) UNARY(radians)
OF_1(ilogb, TO_V(ilogb(x)))
OF_1(recip, (E)1 / x)
UNARY(first_of_fract) UNARY(second_of_fract) UNARY(first_of_modf) UNARY(second_of_modf)
UNARY(first_of_sincos) UNARY(second_of_sincos) UNARY(first_of_frexp) UNARY(second_of_frexp) UNARY(first_of_lgamma_r)
BINARY(atan2) BINARY(atan2pi) BINARY(hypot) BINARY(pow) BINARY(powr)
OF_2(pown, pown(x, TO_INT(y))) OF_2(rootn, rootn(x, TO_INT(y))) OF_2(ldexp, ldexp(x, TO_INT(y)))
BINARY(fmod) BINARY(remainder) BINARY(first_of_remquo) BINARY(second_of_remquo)
BINARY(fdim) BINARY(fmax) BINARY(fmin) BINARY(maxmag) BINARY(minmag) BINARY(copysign) BINARY(nextafter)
OF_2(add, x + y) OF_2(subtract, x - y) OF_2(multiply, x * y) OF_2(divide, x / y)
OF_3(fma, fma(x, y, z))
#ifdef FLOAT
UNARY(half_sin) UNARY(half_cos) UNARY(half_tan) UNARY(half_exp) UNARY(half_exp2) UNARY(half_exp10)
UNARY(half_log) UNARY(half_log2) UNARY(half_log10) UNARY(half_recip) UNARY(half_rsqrt) UNARY(half_sqrt)
BINARY(half_divide) BINARY(half_powr)
UNARY(native_sin) UNARY(native_cos) UNARY(native_tan) UNARY(native_exp) UNARY(native_exp2) UNARY(native_exp10)
UNARY(native_log) UNARY(native_log2) UNARY(native_log10) UNARY(native_recip) UNARY(native_rsqrt) UNARY(native_sqrt)
BINARY(native_divide) BINARY(native_powr)
#endif
