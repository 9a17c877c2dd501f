// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions that libclc computes well except for some arguments: zeros whose sign it loses, results below the normal
// numbers, which it replaces by 0, and extreme exponents (OpenCL C 7.4, 7.5.1). libclc_names.h says how its functions are called.
#define LIBCLC(MANGLED) __asm("__libclc_" MANGLED)

#define SIGN_OF_ZERO(F, MANGLED) \
  double libclc_##F(double x) LIBCLC(MANGLED); \
  OVERLOAD double F(double x) { return x == 0 ? x : libclc_##F(x); } \
  VECTORIZE_1(F, double, double)
SIGN_OF_ZERO(expm1, "_Z5expm1d")
SIGN_OF_ZERO(sin, "_Z3sind")
SIGN_OF_ZERO(tan, "_Z3tand")
SIGN_OF_ZERO(asin, "_Z4asind")
SIGN_OF_ZERO(atan, "_Z4atand")
SIGN_OF_ZERO(asinpi, "_Z6asinpid")
SIGN_OF_ZERO(atanpi, "_Z6atanpid")
SIGN_OF_ZERO(erf, "_Z3erfd")

#define FOR_SPACES(X, ...) X(generic, __VA_ARGS__) X(global, __VA_ARGS__) X(local, __VA_ARGS__) X(private, __VA_ARGS__)
// libclc's sin and cos are made of sincos, so that this cannot be made of them.
double libclc_sincos(double x, private double* cosine) LIBCLC("_Z6sincosdPU3AS5d");
#define SINE_AND_COSINE(SPACE, ...) \
  OVERLOAD double sincos(double x, SPACE double* cosine) { \
    double c; \
    const double sine = libclc_sincos(x, &c); \
    *cosine = c; \
    return x == 0 ? x : sine; \
  }
#define SINES_AND_COSINES(SPACE, N, LOW, HIGH) \
  OVERLOAD double##N sincos(double##N x, SPACE double##N* cosine) { \
    LOW c; \
    HIGH d; \
    const double##N sine = (double##N)(sincos(x.lo, &c), sincos(x.hi, &d)); \
    *cosine = (double##N)(c, d); \
    return sine; \
  }
#define SINES_AND_COSINES_OF_THREE(SPACE, ...) \
  OVERLOAD double3 sincos(double3 x, SPACE double3* cosine) { \
    double4 all; \
    const double4 sine = sincos((double4)(x, 0), &all); \
    *cosine = all.xyz; \
    return sine.xyz; \
  }
FOR_SPACES(SINE_AND_COSINE, )
FOR_SPACES(SINES_AND_COSINES, 2, double, double)
FOR_SPACES(SINES_AND_COSINES, 4, double2, double2)
FOR_SPACES(SINES_AND_COSINES, 8, double4, double4)
FOR_SPACES(SINES_AND_COSINES, 16, double8, double8)
FOR_SPACES(SINES_AND_COSINES_OF_THREE, )

// ---- multiples of pi ----

// Whole numbers have zeros with their sign, and in the middle between two, the cosine is +0.
#define OF_HALF_TURNS(T, LETTER) \
  OVERLOAD T libclc_sinpi(T x) LIBCLC("_Z5sinpi" LETTER); \
  OVERLOAD T libclc_cospi(T x) LIBCLC("_Z5cospi" LETTER); \
  OVERLOAD T libclc_tanpi(T x) LIBCLC("_Z5tanpi" LETTER); \
  OVERLOAD bool is_whole(T x) { return x == trunc(x) && isfinite(x); } \
  OVERLOAD T sinpi(T x) { return is_whole(x) ? copysign((T)0, x) : libclc_sinpi(x); } \
  OVERLOAD T cospi(T x) { return fabs(x) - trunc(fabs(x)) == (T)0.5 ? (T)0 : libclc_cospi(x); } \
  OVERLOAD T tanpi(T x) { return is_whole(x) ? copysign((T)0, is_whole(x / 2) ? x : -x) : libclc_tanpi(x); } \
  VECTORIZE_1(sinpi, T, T) \
  VECTORIZE_1(cospi, T, T) \
  VECTORIZE_1(tanpi, T, T)
OF_HALF_TURNS(half, "Dh")
OF_HALF_TURNS(float, "f")
OF_HALF_TURNS(double, "d")

// ---- fractions ----

#define FRACTION(SPACE, T, LIMIT) \
  OVERLOAD T fract(T x, SPACE T* whole) { \
    const T down = floor(x); \
    const T rest = x - down; \
    *whole = down; \
    return x == (T)0 ? x : (isinf(x) ? copysign((T)0, x) : (rest > (T)LIMIT ? (T)LIMIT : rest)); \
  }
#define HALF_FRACTIONS(T) FOR_SPACES(FRACTION, T, 0x1.ffcp-1h)
#define FLOAT_FRACTIONS(T) FOR_SPACES(FRACTION, T, 0x1.fffffep-1f)
#define DOUBLE_FRACTIONS(T) FOR_SPACES(FRACTION, T, 0x1.fffffffffffffp-1)
HALF_FRACTIONS(half) FOR_VECTORS_OF(HALF_FRACTIONS, half)
FLOAT_FRACTIONS(float) FOR_VECTORS_OF(FLOAT_FRACTIONS, float)
DOUBLE_FRACTIONS(double) FOR_VECTORS_OF(DOUBLE_FRACTIONS, double)

// ---- exponentials of f32 ----

// 2^k for whole k from -1022 to 1023.
double power_of_two(long k) { return as_double((k + 1023) << 52); }

// 2^y, rounded once, also to a subnormal number. The polynomial is the series of e^(r ln 2) with an error below 2^-31.
float rounded_power(double y) {
  const double limited = fmin(fmax(y, -200.0), 200.0);  // NaN, too, which the callers put back
  const double k = rint(limited);
  const double t = (limited - k) * 0x1.62e42fefa39efp-1;
  double p = 1.0 / 40320;
  p = fma(p, t, 1.0 / 5040);
  p = fma(p, t, 1.0 / 720);
  p = fma(p, t, 1.0 / 120);
  p = fma(p, t, 1.0 / 24);
  p = fma(p, t, 1.0 / 6);
  p = fma(p, t, 0.5);
  p = fma(p, t, 1.0);
  p = fma(p, t, 1.0);
  return (float)(p * power_of_two((long)k));
}
OVERLOAD float exp(float x) { return isnan(x) ? x : rounded_power(x * 0x1.71547652b82fep+0); }
OVERLOAD float exp2(float x) { return isnan(x) ? x : rounded_power(x); }
VECTORIZE_1(exp, float, float)
VECTORIZE_1(exp2, float, float)

OVERLOAD float ldexp(float x, int n) { return (float)(x * power_of_two(clamp(n, -400, 400))); }
#define SCALE(N) \
  OVERLOAD float##N ldexp(float##N x, int##N n) { \
    return convert_float##N(convert_double##N(x) * as_double##N((convert_long##N(clamp(n, -400, 400)) + 1023) << 52)); \
  } \
  OVERLOAD float##N ldexp(float##N x, int n) { return ldexp(x, (int##N)n); }
SCALE(2) SCALE(3) SCALE(4) SCALE(8) SCALE(16)

// ---- functions of f32 and f16 that f64 or f32 has room for ----

float libclc_erfc(float x) LIBCLC("_Z4erfcf");
OVERLOAD double erfc(double x);
OVERLOAD float erfc(float x) { return x > 8 ? (float)erfc((double)x) : libclc_erfc(x); }
VECTORIZE_1(erfc, float, float)

OVERLOAD double fmod(double x, double y);
OVERLOAD double remainder(double x, double y);
OVERLOAD float fmod(float x, float y) { return (float)fmod((double)x, (double)y); }
OVERLOAD float remainder(float x, float y) { return (float)remainder((double)x, (double)y); }
VECTORIZE_2(fmod, float, float)
VECTORIZE_2(remainder, float, float)
#define REMAINDER_OF_DOUBLE(N) OVERLOAD double##N remquo(double##N x, double##N y, private int##N* quotient);
REMAINDER_OF_DOUBLE() REMAINDER_OF_DOUBLE(2) REMAINDER_OF_DOUBLE(3) REMAINDER_OF_DOUBLE(4) REMAINDER_OF_DOUBLE(8) REMAINDER_OF_DOUBLE(16)
#define REMAINDER_AND_QUOTIENT(SPACE, N) \
  OVERLOAD float##N remquo(float##N x, float##N y, SPACE int##N* quotient) { \
    int##N bits; \
    const double##N rest = remquo(convert_double##N(x), convert_double##N(y), &bits); \
    *quotient = bits; \
    return convert_float##N(rest); \
  }
FOR_SPACES(REMAINDER_AND_QUOTIENT, )
FOR_SPACES(REMAINDER_AND_QUOTIENT, 2)
FOR_SPACES(REMAINDER_AND_QUOTIENT, 3)
FOR_SPACES(REMAINDER_AND_QUOTIENT, 4)
FOR_SPACES(REMAINDER_AND_QUOTIENT, 8)
FOR_SPACES(REMAINDER_AND_QUOTIENT, 16)

#define ROOT(N) \
  OVERLOAD double##N rootn(double##N x, int##N n); \
  OVERLOAD float##N rootn(float##N x, int##N n) { return convert_float##N(rootn(convert_double##N(x), n)); }
ROOT() ROOT(2) ROOT(3) ROOT(4) ROOT(8) ROOT(16)

OVERLOAD float rsqrt(float x);
OVERLOAD half rsqrt(half x) { return (half)rsqrt((float)x); }
VECTORIZE_1(rsqrt, half, half)

// ---- powers of f64 ----

// An exponent above 2^64 gives 0, 1 or infinity as 2^64 does, which is even, too.
double limited_exponent(double y) { return fabs(y) > 0x1p64 && !isinf(y) ? copysign(0x1p64, y) : y; }
double libclc_pow(double x, double y) LIBCLC("_Z3powdd");
double libclc_powr(double x, double y) LIBCLC("_Z4powrdd");
OVERLOAD double pow(double x, double y) { return libclc_pow(x, limited_exponent(y)); }
OVERLOAD double powr(double x, double y) { return libclc_powr(x, limited_exponent(y)); }
VECTORIZE_2(pow, double, double)
VECTORIZE_2(powr, double, double)

// ---- gamma function ----

OVERLOAD double log(double x);
OVERLOAD double exp(double x);

// Stirling's formula, sqrt(2 pi) y^(y - 1/2) e^-y e^(1 / (12 y) - ...), for y of at least 10. The power is the square of one
// that does not overflow.
double gamma_of_large(double y) {
  const double z = 1 / (y * y);
  double series = -3617.0 / 122400;
  series = fma(series, z, 1.0 / 156);
  series = fma(series, z, -691.0 / 360360);
  series = fma(series, z, 1.0 / 1188);
  series = fma(series, z, -1.0 / 1680);
  series = fma(series, z, 1.0 / 1260);
  series = fma(series, z, -1.0 / 360);
  series = fma(series, z, 1.0 / 12) / y;
  const double root = pow(y, (y - 0.5) * 0.5);
  return 0x1.40d931ff62706p+1 * root * exp(-y) * root * exp(series);
}
// What rounding takes from an argument y of gamma would cost hundreds of units in the last place of the result. The derivative of
// ln gamma is nearly ln(y) - 1 / (2 y).
double with_lost(double gamma, double y, double lost) { return fma(gamma, lost * (log(y) - 0.5 / y), gamma); }

double gamma_of_positive(double y) {
  if (y >= 10) return y < 172 ? gamma_of_large(y) : INFINITY;
  double product = y;
  for (int i = 1; i < 10; ++i) product *= y + i;
  const double sum = y + 10;
  return with_lost(gamma_of_large(sum), sum, y - (sum - 10)) / product;
}

// pi / (sin(pi x) gamma(1 - x)), for x from -170 to 0.
double reflected_gamma(double x) {
  const double y = 1 - x;
  return M_PI / (sinpi(x) * with_lost(gamma_of_positive(y), y, (1 - y) - x));
}

// gamma(x) = gamma(x + 16) / (x (x + 1) ... (x + 15)), for x from -186 to -170, of which the sums are exact.
double gamma_far_below(double x) {
  double out = reflected_gamma(x + 16);
  for (int i = 15; i >= 0; --i) out /= x + i;
  return out;
}

OVERLOAD double tgamma(double x) {
  if (fabs(x) < 0x1p-18) return 1 / x + fma(x, 0x1.fa658c23b1578p-1, -0x1.2788cfc6fb619p-1);  // the first terms of its series
  if (x < 0 && is_whole(x)) return NAN;
  if (!(x < 0)) return gamma_of_positive(x);
  if (x >= -170) return reflected_gamma(x);
  if (x >= -186) return gamma_far_below(x);
  // Below, gamma is next to 0 and changes its sign at whole numbers.
  return isinf(x) ? (double)NAN : is_whole(floor(x) / 2) ? 0.0 : -0.0;
}
VECTORIZE_1(tgamma, double, double)
OVERLOAD float tgamma(float x) { return (float)tgamma((double)x); }
OVERLOAD half tgamma(half x) { return (half)(float)tgamma((double)x); }
VECTORIZE_1(tgamma, float, float)
VECTORIZE_1(tgamma, half, half)
