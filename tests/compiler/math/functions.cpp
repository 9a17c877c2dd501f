// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "hsalib/functions.h"

namespace heddle::clmath {
namespace {

using testing::RealFunction;
using Arguments = std::span<const mpfr_ptr>;

constexpr double any = std::numeric_limits<double>::infinity();
constexpr double none = -1;
constexpr auto nearest = MPFR_RNDN;

const RealFunction& real_function(std::string_view name) {
  const auto functions = testing::real_functions();
  const auto found = std::ranges::find(functions, name, &RealFunction::name);
  assert(found != functions.end());
  return *found;
}

Reference of_one(int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  return [function](mpfr_ptr result, Arguments x, Format) {
    function(result, x[0], nearest);
    return true;
  };
}
Reference of_two(int (*function)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  return [function](mpfr_ptr result, Arguments x, Format) {
    function(result, x[0], x[1], nearest);
    return true;
  };
}

/// A function that libhsamath has, too.
Function known(const char* name, Bounds bounds) {
  const RealFunction& real = real_function(name);
  if (real.one != nullptr) return {name, 1, bounds, real.low, real.high, of_one(real.one)};
  return {name, 2, bounds, real.low, real.high, of_two(real.two)};
}
Function one(const char* name, Bounds bounds, double low, double high,
             int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  return {name, 1, bounds, low, high, of_one(function)};
}
Function two(const char* name, Bounds bounds, double low, double high,
             int (*function)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  return {name, 2, bounds, low, high, of_two(function)};
}

// ---- integers ----

/// The argument as convert_int_sat makes an integer of it.
long integer(mpfr_srcptr x) {
  if (mpfr_nan_p(x)) return 0;
  if (mpfr_cmp_si(x, INT32_MAX) >= 0) return INT32_MAX;
  if (mpfr_cmp_si(x, INT32_MIN) <= 0) return INT32_MIN;
  return mpfr_get_si(x, MPFR_RNDZ);
}

bool ldexp(mpfr_ptr result, Arguments x, Format) {
  mpfr_mul_2si(result, x[0], integer(x[1]), nearest);
  return true;
}

bool pown(mpfr_ptr result, Arguments x, Format) {
  mpfr_pow_si(result, x[0], integer(x[1]), nearest);
  return true;
}

/// OpenCL C 7.5.1: x^(1/n), for negative numbers if n is odd.
bool rootn(mpfr_ptr result, Arguments x, Format) {
  const long n = integer(x[1]);
  if (n == 0) return false;
  const bool is_odd = n % 2 != 0;
  const bool negative = mpfr_signbit(x[0]) != 0;
  if (negative && !is_odd && !mpfr_zero_p(x[0])) {
    mpfr_set_nan(result);
    return true;
  }
  mpfr_abs(result, x[0], nearest);
  mpfr_rootn_ui(result, result, static_cast<unsigned long>(std::labs(n)), nearest);
  if (n < 0) mpfr_ui_div(result, 1, result, nearest);
  if (negative && is_odd) mpfr_neg(result, result, nearest);
  return true;
}

/// Zeros, infinities and NaN have other exponents than numbers.
bool is_number(mpfr_srcptr x) { return mpfr_number_p(x) && !mpfr_zero_p(x); }

bool ilogb(mpfr_ptr result, Arguments x, Format) {
  if (!is_number(x[0])) return false;
  mpfr_set_si(result, mpfr_get_exp(x[0]) - 1, nearest);
  return true;
}

bool logb(mpfr_ptr result, Arguments x, Format) {
  if (is_number(x[0]))
    mpfr_set_si(result, mpfr_get_exp(x[0]) - 1, nearest);
  else if (mpfr_nan_p(x[0]))
    mpfr_set_nan(result);
  else
    mpfr_set_inf(result, mpfr_zero_p(x[0]) ? -1 : 1);
  return true;
}

// ---- parts ----

bool fraction(mpfr_ptr result, Arguments x, Format) {
  mpfr_set(result, x[0], nearest);
  if (is_number(x[0])) mpfr_set_exp(result, 0);
  return true;
}
bool exponent(mpfr_ptr result, Arguments x, Format) {
  if (!mpfr_number_p(x[0])) return false;
  mpfr_set_si(result, mpfr_zero_p(x[0]) ? 0 : mpfr_get_exp(x[0]), nearest);
  return true;
}
bool modf(mpfr_ptr result, Arguments x, Format) {
  mpfr_frac(result, x[0], nearest);
  return true;
}
/// x - floor(x), but less than 1 (OpenCL C 6.15.2).
bool fract(mpfr_ptr result, Arguments x, Format format) {
  if (!is_number(x[0])) {
    mpfr_set(result, x[0], nearest);
    if (mpfr_inf_p(x[0])) mpfr_set_zero(result, mpfr_signbit(x[0]) ? -1 : 1);
    return true;
  }
  Exact limit;
  mpfr_set_ui_2exp(limit.get(), 1, -format.digits, nearest);
  mpfr_ui_sub(limit.get(), 1, limit.get(), nearest);
  mpfr_floor(result, x[0]);
  mpfr_sub(result, x[0], result, nearest);
  mpfr_min(result, result, limit.get(), nearest);
  return true;
}
int floor(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_floor(result, x); }
int ceil(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_ceil(result, x); }
int trunc(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_trunc(result, x); }
int round(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_round(result, x); }
int rint(mpfr_t result, const mpfr_t x, mpfr_rnd_t) { return mpfr_roundeven(result, x); }

// ---- two numbers ----

/// OpenCL C 7.5.1: pow for numbers from 0, as exp(y log(x)).
bool powr(mpfr_ptr result, Arguments x, Format) {
  const mpfr_srcptr a = x[0], y = x[1];
  const bool is_one = mpfr_number_p(a) && mpfr_cmp_ui(a, 1) == 0;
  const bool undefined = mpfr_nan_p(a) || mpfr_nan_p(y) || (mpfr_signbit(a) && !mpfr_zero_p(a)) ||
                         (mpfr_zero_p(y) && (mpfr_zero_p(a) || mpfr_inf_p(a))) || (is_one && mpfr_inf_p(y));
  if (undefined) {
    mpfr_set_nan(result);
    return true;
  }
  mpfr_abs(result, a, nearest);
  mpfr_pow(result, result, y, nearest);
  return true;
}

bool nextafter(mpfr_ptr result, Arguments x, Format format) {
  mpfr_set(result, x[0], nearest);
  if (mpfr_nan_p(x[0]) || mpfr_nan_p(x[1])) {
    mpfr_set_nan(result);
    return true;
  }
  const int direction = mpfr_cmp(x[1], x[0]);
  if (direction == 0) return true;
  const bool outwards = mpfr_zero_p(x[0]) || (mpfr_sgn(x[0]) > 0) == (direction > 0);
  Exact step;
  if (mpfr_inf_p(x[0])) {  // to the largest number
    mpfr_set_ui_2exp(step.get(), 1, format.max_exponent - format.digits, nearest);
    mpfr_set_ui_2exp(result, 1, format.max_exponent, nearest);
    mpfr_sub(result, result, step.get(), nearest);
    if (mpfr_signbit(x[0])) mpfr_neg(result, result, nearest);
    return true;
  }
  const long size =
      mpfr_zero_p(x[0]) ? format.min_exponent : std::max<long>(mpfr_get_exp(x[0]), format.min_exponent);
  mpfr_set_ui_2exp(step.get(), 1, size - format.digits, nearest);
  Exact power;
  mpfr_set_ui_2exp(power.get(), 1, size - 1, nearest);
  if (!outwards && size > format.min_exponent && mpfr_cmpabs(x[0], power.get()) == 0)
    mpfr_div_2ui(step.get(), step.get(), 1, nearest);
  (direction > 0 ? mpfr_add : mpfr_sub)(result, x[0], step.get(), nearest);
  if (mpfr_zero_p(result)) mpfr_set_zero(result, mpfr_signbit(x[0]) ? -1 : 1);
  if (!mpfr_zero_p(result) && mpfr_get_exp(result) > format.max_exponent)
    mpfr_set_inf(result, mpfr_sgn(result));
  return true;
}

bool copysign(mpfr_ptr result, Arguments x, Format) {
  mpfr_copysign(result, x[0], x[1], nearest);
  return !mpfr_nan_p(x[1]);  // MPFR's NaN has no sign
}

bool fdim(mpfr_ptr result, Arguments x, Format) {
  mpfr_dim(result, x[0], x[1], nearest);
  return true;
}

/// The one of larger or smaller magnitude, and of equal ones the maximum or minimum.
template <bool larger>
bool by_magnitude(mpfr_ptr result, Arguments x, Format) {
  const int order = mpfr_nan_p(x[0]) || mpfr_nan_p(x[1]) ? 0 : mpfr_cmpabs(x[0], x[1]) * (larger ? 1 : -1);
  if (order == 0)
    (larger ? mpfr_max : mpfr_min)(result, x[0], x[1], nearest);
  else
    mpfr_set(result, order > 0 ? x[0] : x[1], nearest);
  return true;
}

bool quotient(mpfr_ptr result, Arguments x, Format) {
  if (!mpfr_number_p(x[0]) || mpfr_nan_p(x[1]) || mpfr_zero_p(x[1])) return false;
  long bits = 0;
  Exact rest;
  mpfr_remquo(rest.get(), &bits, x[0], x[1], nearest);
  mpfr_set_si(result, bits < 0 ? -(-bits & 127) : bits & 127, nearest);
  return true;
}
bool remainder(mpfr_ptr result, Arguments x, Format) {
  mpfr_remainder(result, x[0], x[1], nearest);
  return true;
}

// ---- others ----

bool degrees(mpfr_ptr result, Arguments x, Format) {
  Exact pi;
  mpfr_const_pi(pi.get(), nearest);
  mpfr_mul_ui(result, x[0], 180, nearest);
  mpfr_div(result, result, pi.get(), nearest);
  return true;
}
bool radians(mpfr_ptr result, Arguments x, Format) {
  Exact pi;
  mpfr_const_pi(pi.get(), nearest);
  mpfr_mul(result, x[0], pi.get(), nearest);
  mpfr_div_ui(result, result, 180, nearest);
  return true;
}
bool reciprocal(mpfr_ptr result, Arguments x, Format) {
  mpfr_ui_div(result, 1, x[0], nearest);
  return true;
}
bool fused(mpfr_ptr result, Arguments x, Format) {
  mpfr_fma(result, x[0], x[1], x[2], nearest);
  return true;
}

/// The same function for normal numbers of at most a size, with normal results: what half_* and native_* are
/// for.
Reference within(Reference reference, double limit) {
  return [reference = std::move(reference), limit](mpfr_ptr result, Arguments x, Format format) {
    const auto is_normal = [&](mpfr_srcptr number) {
      return is_number(number) && mpfr_get_exp(number) >= format.min_exponent &&
             mpfr_get_exp(number) <= format.max_exponent;
    };
    for (const mpfr_ptr number : x)
      if (!is_normal(number) || std::fabs(mpfr_get_d(number, nearest)) > limit) return false;
    return reference(result, x, format) && is_normal(result);
  };
}

Function rough(const char* name, double bound, const Function& exact, double limit = any) {
  return {name, exact.arguments, {bound, none, none}, exact.low, exact.high, within(exact.reference, limit)};
}

constexpr Bounds zero_ulp = {0, 0, 0};
constexpr Bounds correctly_rounded = {0.5, 0.5, 0.5};

std::vector<Function> transcendental() {
  return {
      known("exp", {3, 3, 2}),
      known("exp2", {3, 3, 2}),
      known("exp10", {3, 3, 2}),
      known("expm1", {3, 3, 2}),
      known("log", {3, 3, 2}),
      known("log2", {3, 3, 2}),
      known("log10", {3, 3, 2}),
      known("log1p", {2, 2, 2}),
      known("sinh", {4, 4, 2}),
      known("cosh", {4, 4, 2}),
      known("tanh", {5, 5, 2}),
      known("asinh", {4, 4, 2}),
      known("acosh", {4, 4, 2}),
      known("atanh", {5, 5, 2}),
      known("sin", {4, 4, 2}),
      known("cos", {4, 4, 2}),
      known("tan", {5, 5, 2}),
      known("sinpi", {4, 4, 2}),
      known("cospi", {4, 4, 2}),
      one("tanpi", {6, 6, 2}, -100, 100, mpfr_tanpi),
      known("asin", {4, 4, 2}),
      known("acos", {4, 4, 2}),
      known("atan", {5, 5, 2}),
      one("asinpi", {5, 5, 2}, -1, 1, mpfr_asinpi),
      one("acospi", {5, 5, 2}, -1, 1, mpfr_acospi),
      one("atanpi", {5, 5, 2}, -10, 10, mpfr_atanpi),
      known("atan2", {6, 6, 2}),
      two("atan2pi", {6, 6, 2}, -10, 10, mpfr_atan2pi),
      known("cbrt", {2, 2, 2}),
      known("hypot", {4, 4, 2}),
      known("pow", {16, 16, 4}),
      {"powr", 2, {16, 16, 4}, 0, 40, powr},
      {"pown", 2, {16, 16, 4}, -40, 40, pown},
      {"rootn", 2, {16, 16, 4}, -40, 40, rootn},
      known("erf", {16, 16, 4}),
      known("erfc", {16, 16, 4}),
      known("tgamma", {16, 16, 4}),
      known("lgamma", {any, any, any}),
  };
}

std::vector<Function> arithmetic() {
  return {
      one("sqrt", {3, 0.5, 0.5}, 0, 10, mpfr_sqrt),
      known("rsqrt", {2, 2, 1}),
      {"recip", 1, {2.5, 0.5, 0.5}, -10, 10, reciprocal},
      two("add", correctly_rounded, -10, 10, mpfr_add),
      two("subtract", correctly_rounded, -10, 10, mpfr_sub),
      two("multiply", correctly_rounded, -10, 10, mpfr_mul),
      two("divide", {2.5, 0.5, 0.5}, -10, 10, mpfr_div),
      {"fma", 3, correctly_rounded, -10, 10, fused},
      {"degrees", 1, {2, 2, 2}, -10, 10, degrees},
      {"radians", 1, {2, 2, 2}, -400, 400, radians},
      {"fdim", 2, correctly_rounded, -10, 10, fdim},
      two("fmod", zero_ulp, -10, 10, mpfr_fmod),
      {"remainder", 2, zero_ulp, -10, 10, remainder},
      {"ldexp", 2, correctly_rounded, -200, 200, ldexp},
  };
}

std::vector<Function> exact() {
  return {
      one("ceil", zero_ulp, -100, 100, ceil),
      one("floor", zero_ulp, -100, 100, floor),
      one("trunc", zero_ulp, -100, 100, trunc),
      one("rint", zero_ulp, -100, 100, rint),
      one("round", zero_ulp, -100, 100, round),
      one("fabs", zero_ulp, -100, 100, mpfr_abs),
      two("fmax", zero_ulp, -10, 10, mpfr_max),
      two("fmin", zero_ulp, -10, 10, mpfr_min),
      {"maxmag", 2, zero_ulp, -10, 10, by_magnitude<true>, true},
      {"minmag", 2, zero_ulp, -10, 10, by_magnitude<false>, true},
      {"copysign", 2, zero_ulp, -10, 10, copysign},
      {"nextafter", 2, zero_ulp, -10, 10, nextafter, true},
      {"logb", 1, zero_ulp, -10, 10, logb},
      {"ilogb", 1, zero_ulp, -10, 10, ilogb},
  };
}

/// What functions return, and what they store at the address that they get.
std::vector<Function> pairs() {
  const Function sine = known("sin", {4, 4, 2}), cosine = known("cos", {4, 4, 2});
  return {
      {"first_of_sincos", 1, sine.bounds, sine.low, sine.high, sine.reference},
      {"second_of_sincos", 1, cosine.bounds, cosine.low, cosine.high, cosine.reference},
      {"first_of_fract", 1, correctly_rounded, -100, 100, fract},
      {"second_of_fract", 1, zero_ulp, -100, 100, of_one(floor)},
      {"first_of_modf", 1, zero_ulp, -100, 100, modf},
      {"second_of_modf", 1, zero_ulp, -100, 100, of_one(trunc)},
      {"first_of_frexp", 1, zero_ulp, -100, 100, fraction},
      {"second_of_frexp", 1, zero_ulp, -100, 100, exponent},
      {"first_of_lgamma_r", 1, {any, any, any}, -30, 100, of_one(real_function("lgamma").one)},
      {"first_of_remquo", 2, zero_ulp, -10, 10, remainder},
      {"second_of_remquo", 2, zero_ulp, -10, 10, quotient, true},
  };
}

std::vector<Function> reduced() {
  constexpr double half_bound = 8192;
  const Function divide = two("divide", correctly_rounded, -10, 10, mpfr_div),
                 recip{"recip", 1, correctly_rounded, -10, 10, reciprocal},
                 root = one("sqrt", correctly_rounded, 0, 10, mpfr_sqrt), power{"powr", 2, {}, 0, 10, powr};
  std::vector<Function> all;
  const auto add = [&](const char* half_name, const char* native_name, const Function& function,
                       double limit) {
    all.push_back(rough(half_name, half_bound, function, limit));
    all.push_back(rough(native_name, any, function, limit));
  };
  add("half_sin", "native_sin", known("sin", {}), 65536);
  add("half_cos", "native_cos", known("cos", {}), 65536);
  add("half_tan", "native_tan", known("tan", {}), 65536);
  add("half_exp", "native_exp", known("exp", {}), any);
  add("half_exp2", "native_exp2", known("exp2", {}), any);
  add("half_exp10", "native_exp10", known("exp10", {}), any);
  add("half_log", "native_log", known("log", {}), any);
  add("half_log2", "native_log2", known("log2", {}), any);
  add("half_log10", "native_log10", known("log10", {}), any);
  add("half_powr", "native_powr", power, any);
  add("half_recip", "native_recip", recip, any);
  add("half_divide", "native_divide", divide, any);
  add("half_rsqrt", "native_rsqrt", known("rsqrt", {}), any);
  add("half_sqrt", "native_sqrt", root, any);
  return all;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (const auto& part : {transcendental(), arithmetic(), exact(), pairs(), reduced()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace heddle::clmath
