// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mathematical functions of HIP that OpenCL C does not have: inverses of error functions, the scaled error function, and Bessel functions. Those
// of f32 are computed in f64.

#define TWO_OVER_ROOT_PI 0x1.20dd750429b6dp+0
#define LN_TWO 0x1.62e42fefa39efp-1

// ---- error functions ----

// e^(x^2) for x of at most 26. What rounding takes from the square is added to the power.
static double exp_of_square(double x) {
  const double square = x * x;
  const double lost = fma(x, x, -square), power = exp(square);
  return isinf(power) ? power : fma(power, lost, power);
}

// e^(x^2) erfc(x). For large x it is 1 / (x sqrt(pi)) (1 - 1 / (2 x^2) + 1 * 3 / (2 x^2)^2 - ...), of which nine terms are exact enough from 20 on.
static double scaled_erfc(double x) {
  if (x < -26.7) return INFINITY;
  if (x < 20) return exp_of_square(x) * erfc(x);
  const double t = 0.5 / x / x;
  double sum = 1;
  for (int k = 9; k > 0; --k) sum = 1 - (2 * k - 1) * t * sum;
  return sum * (0.5 * TWO_OVER_ROOT_PI) / x;
}

// An approximation of the inverse of erf (Winitzki), with an error of less than 1 percent; `log` is ln(1 - x^2).
static double near_inverse_of_erf(double log) {
  const double a = 0.147, first = 2 / (M_PI * a) + 0.5 * log;
  return sqrt(sqrt(first * first - log / a) - first);
}

// The inverse of erf for |x| of at most 1/2, by two steps of Halley's method.
static double inverse_of_small_erf(double x) {
  if (fabs(x) < 0x1p-28) return x / TWO_OVER_ROOT_PI;
  double y = copysign(near_inverse_of_erf(log1p(-x * x)), x);
  for (int i = 0; i < 2; ++i) {
    const double step = (erf(y) - x) / (TWO_OVER_ROOT_PI * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

// The inverse of erfc for c from 0 to 1/2. Newton's method finds the logarithm -y^2 + ln(erfcx(y)), which bends little; what erfc has to be at the end is
// compared as it is where it is a normal number.
static double inverse_of_small_erfc(double c) {
  const double log_c = log(c);
  double y = near_inverse_of_erf(log_c + log1p(1 - c));
  for (int i = 0; i < 3; ++i) {
    const double scaled = scaled_erfc(y);
    y += (log(scaled) - y * y - log_c) * scaled / TWO_OVER_ROOT_PI;
  }
  if (c < 0x1p-960) return y;
  const double of_y = erfc(y);
  return y + (of_y - c) / of_y * scaled_erfc(y) / TWO_OVER_ROOT_PI;
}

static double inverse_of_erf(double x) {
  const double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 1) return copysign((double)INFINITY, x);
  return size <= 0.5 ? inverse_of_small_erf(x) : copysign(inverse_of_small_erfc(1 - size), x);
}
static double inverse_of_erfc(double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0 || x == 2) return x == 0 ? (double)INFINITY : -(double)INFINITY;
  if (x < 0.5) return inverse_of_small_erfc(x);
  return x > 1.5 ? -inverse_of_small_erfc(2 - x) : inverse_of_small_erf(1 - x);
}
// The inverse of the normal distribution.
static double normal_quantile(double p) { return -0x1.6a09e667f3bcdp+0 * inverse_of_erfc(2 * p); }

// ---- Bessel functions of whole orders ----

// From here on, the first terms of the asymptotic series are exact enough.
#define LARGE_ARGUMENT 25.0

// The two sums of the asymptotic series (DLMF 10.17.3), as J = sqrt(2 / (pi x)) (P cos w - Q sin w) and Y = sqrt(2 / (pi x)) (P sin w + Q cos w) with
// w = x - (order / 2 + 1 / 4) pi.
struct asymptotic_sums {
  double p, q;
};
static struct asymptotic_sums asymptotic_sums(double x, int order) {
  struct asymptotic_sums sums = {1, 0};
  const double m = 4.0 * order * order;
  double term = 1;
  for (int k = 1; k < 26; ++k) {
    const double odd = 2 * k - 1;
    term *= (m - odd * odd) / (8 * k * x);
    const double signed_term = (k & 2) != 0 ? -term : term;
    if ((k & 1) != 0)
      sums.q += signed_term;
    else
      sums.p += signed_term;
  }
  return sums;
}

// J and Y of orders 0 and 1 for large x. With s and c of x, sin(w) and cos(w) are (s -+ c) / sqrt(2) and so on.
static double large_bessel(double x, int order, bool second) {
  if (isinf(x)) return 0;
  const struct asymptotic_sums sums = asymptotic_sums(x, order);
  double c;
  const double s = sincos(x, &c);
  const double cosine = order == 0 ? c + s : s - c, sine = order == 0 ? s - c : -(s + c);
  const double root = 1 / sqrt(M_PI * x);
  return root * (second ? sums.p * sine + sums.q * cosine : sums.p * cosine - sums.q * sine);
}

// J of all orders for small x, by the recurrence downwards (Miller), of which J0 + 2 J2 + 2 J4 + ... = 1 gives the size; and the sums that Y needs
// (Neumann; DLMF 10.8 for its derivative).
struct small_bessel {
  double j0, j1, sum0, sum1;
};
static struct small_bessel small_bessel(double x) {
  struct small_bessel result = {0, 0, 0, 0};
  double above = 0, at = 0x1p-1000, size = 0;
  // Orders from here on are next to nothing.
  for (int n = (2 * (int)x + 40) & ~1; n > 0; --n) {
    const double below = 2 * n / x * at - above;
    if ((n & 1) == 0) {
      const double sign = (n & 2) != 0 ? -1 : 1;
      size += 2 * at;
      result.sum0 += sign * 2 / n * at;
      result.sum1 += sign * 2 / n * (below - above);
    }
    above = at;
    at = below;
    if (fabs(at) > 0x1p900) {
      const double scale = 0x1p-900;
      above *= scale, at *= scale, size *= scale, result.sum0 *= scale, result.sum1 *= scale;
    }
  }
  size += at;
  result.j0 = at / size;
  result.j1 = above / size;
  result.sum0 /= size;
  result.sum1 /= size;
  return result;
}

static double bessel_j0(double x) {
  const double size = fabs(x);
  if (size < 0x1p-27) return 1;
  return size < LARGE_ARGUMENT ? small_bessel(size).j0 : isnan(x) ? x : large_bessel(size, 0, false);
}
static double bessel_j1(double x) {
  const double size = fabs(x);
  if (size < 0x1p-27) return x / 2;
  if (isnan(x)) return x;
  return copysign(1.0, x) * (size < LARGE_ARGUMENT ? small_bessel(size).j1 : large_bessel(size, 1, false));
}

#define EULER_GAMMA 0x1.2788cfc6fb619p-1
static double bessel_y0(double x) {
  if (x == 0) return -INFINITY;
  if (!(x > 0)) return NAN;
  if (x < 0x1p-27) return M_2_PI * (log(x) - LN_TWO + EULER_GAMMA);
  if (x >= LARGE_ARGUMENT) return large_bessel(x, 0, true);
  const struct small_bessel j = small_bessel(x);
  return M_2_PI * ((log(x / 2) + EULER_GAMMA) * j.j0 - 2 * j.sum0);
}
static double bessel_y1(double x) {
  if (x == 0) return -INFINITY;
  if (!(x > 0)) return NAN;
  if (x < 0x1p-27) return -M_2_PI / x;
  if (x >= LARGE_ARGUMENT) return large_bessel(x, 1, true);
  const struct small_bessel j = small_bessel(x);
  return M_2_PI * ((log(x / 2) + EULER_GAMMA) * j.j1 - j.j0 / x + j.sum1);
}

// Modified Bessel functions of the first kind: the power series, whose terms have one sign, and the asymptotic series (DLMF 10.40.1).
static double modified_bessel(double x, int order) {
  const double size = fabs(x);
  double result;
  if (isnan(x)) return x;
  if (size < LARGE_ARGUMENT) {
    const double t = size * size / 4;
    result = 1;
    for (int k = 60; k > 0; --k) result = fma(result, t / ((double)k * (k + order)), 1);
    // What rounding takes from the square, with the derivative of the logarithm, which is nearly 1.
    if (size > 1) result = fma(result, fma(size, size, -size * size) / (2 * size), result);
    if (order == 1) result *= size / 2;
  } else {
    double sum = 1;
    const double m = 4.0 * order * order;
    for (int k = 30; k > 0; --k) sum = fma(sum, -(m - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * size), 1);
    // The power alone may be infinite.
    const double half_power = exp(size / 2);
    result = isinf(half_power) ? INFINITY : half_power * (sum / sqrt(2 * M_PI * size)) * half_power;
  }
  return order == 1 ? copysign(result, x) : result;
}

#define SPECIAL(NAME, EXPRESSION) \
  double __ocml_##NAME##_f64(double x) { return EXPRESSION; } \
  float __ocml_##NAME##_f32(float given) { \
    const double x = given; \
    return (float)(EXPRESSION); \
  }
SPECIAL(erfcx, isnan(x) ? x : scaled_erfc(x))
SPECIAL(erfinv, inverse_of_erf(x))
SPECIAL(erfcinv, inverse_of_erfc(x))
SPECIAL(ncdfinv, normal_quantile(x))
SPECIAL(j0, bessel_j0(x))
SPECIAL(j1, bessel_j1(x))
SPECIAL(y0, bessel_y0(x))
SPECIAL(y1, bessel_y1(x))
SPECIAL(i0, modified_bessel(x, 0))
SPECIAL(i1, modified_bessel(x, 1))
