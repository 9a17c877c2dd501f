// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exhaustive/unary.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>

#include "mpfr_error.h"

namespace heddle::testing {
namespace {

// ---- values in f64 that the C library does not have ----

/// |sin(pi r)| for r from 0 to 1.
double sine_of_half_turn(double r) {
  if (r > 0.5) r = 1 - r;
  return r <= 0.25 ? std::sin(std::numbers::pi * r) : std::cos(std::numbers::pi * (0.5 - r));
}

double sinpi(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = x - 2 * std::rint(x / 2);  // from -1 to 1
  const double out = sine_of_half_turn(std::fabs(r));
  return out == 0 ? std::copysign(0.0, x) : std::copysign(out, r);
}

double cospi(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::fabs(x - 2 * std::rint(x / 2));
  if (r == 0.5) return 0;
  return r < 0.5 ? sine_of_half_turn(0.5 - r) : -sine_of_half_turn(r - 0.5);
}

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// ---- outputs that are exact ----

template <typename V>
uint64_t bits_of(V value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The integer nearest to a value that has no fraction, and 0 for NaN.
uint64_t saturated(float whole) {
  if (std::isnan(whole)) return 0;
  if (whole >= 0x1p63f) return bits_of(std::numeric_limits<int64_t>::max());
  if (whole < -0x1p63f) return bits_of(std::numeric_limits<int64_t>::min());
  return bits_of(static_cast<int64_t>(whole));
}

uint64_t away(float x) { return saturated(std::round(x)); }
uint64_t even(float x) { return saturated(std::rint(x)); }

uint64_t rest_of_frexp(float x) {
  int exponent = 0;
  return bits_of(std::frexp(x, &exponent));
}
uint64_t exponent_of_frexp(float x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::isfinite(x) ? bits_of(exponent) : 0;
}
uint64_t rest_of_modf(float x) {
  float whole = 0;
  return bits_of(std::modf(x, &whole));
}
uint64_t whole_of_modf(float x) {
  float whole = 0;
  std::modf(x, &whole);
  return bits_of(whole);
}

constexpr UnaryFunction rounded(const char* name, const char* function, double (*approximate)(double)) {
  return {name, function, "d d", 0, Output::f32, approximate, nullptr};
}
constexpr UnaryFunction exactly(const char* name, const char* function, uint64_t (*exact)(float)) {
  return {name, function, "d d", 0, Output::f32, nullptr, exact};
}

constexpr UnaryFunction table[] = {
    rounded("exp", "expf", [](double x) { return std::exp(x); }),
    rounded("exp2", "exp2f", [](double x) { return std::exp2(x); }),
    rounded("exp10", "exp10f", [](double x) { return ::exp10(x); }),
    rounded("expm1", "expm1f", [](double x) { return std::expm1(x); }),
    rounded("log", "logf", [](double x) { return std::log(x); }),
    rounded("log2", "log2f", [](double x) { return std::log2(x); }),
    rounded("log10", "log10f", [](double x) { return std::log10(x); }),
    rounded("log1p", "log1pf", [](double x) { return std::log1p(x); }),
    rounded("sinh", "sinhf", [](double x) { return std::sinh(x); }),
    rounded("cosh", "coshf", [](double x) { return std::cosh(x); }),
    rounded("tanh", "tanhf", [](double x) { return std::tanh(x); }),
    rounded("asinh", "asinhf", [](double x) { return std::asinh(x); }),
    rounded("acosh", "acoshf", [](double x) { return std::acosh(x); }),
    rounded("atanh", "atanhf", [](double x) { return std::atanh(x); }),
    rounded("cbrt", "cbrtf", [](double x) { return std::cbrt(x); }),
    rounded("rsqrt", "rsqrtf", [](double x) { return 1 / std::sqrt(x); }),
    rounded("sin", "sinf", [](double x) { return std::sin(x); }),
    rounded("cos", "cosf", [](double x) { return std::cos(x); }),
    rounded("tan", "tanf", [](double x) { return std::tan(x); }),
    rounded("asin", "asinf", [](double x) { return std::asin(x); }),
    rounded("acos", "acosf", [](double x) { return std::acos(x); }),
    rounded("atan", "atanf", [](double x) { return std::atan(x); }),
    rounded("sinpi", "sinpif", sinpi),
    rounded("cospi", "cospif", cospi),
    rounded("erf", "erff", [](double x) { return std::erf(x); }),
    rounded("erfc", "erfcf", [](double x) { return std::erfc(x); }),
    rounded("tgamma", "tgammaf", [](double x) { return std::tgamma(x); }),
    rounded("lgamma", "lgammaf", log_gamma),
    {"sincos.sin", "sincosf", "- dpp", 1, Output::f32, [](double x) { return std::sin(x); }, nullptr},
    {"sincos.cos", "sincosf", "- dpp", 2, Output::f32, [](double x) { return std::cos(x); }, nullptr},
    exactly("floor", "floorf", [](float x) { return bits_of(std::floor(x)); }),
    exactly("ceil", "ceilf", [](float x) { return bits_of(std::ceil(x)); }),
    exactly("trunc", "truncf", [](float x) { return bits_of(std::trunc(x)); }),
    exactly("rint", "rintf", [](float x) { return bits_of(std::rint(x)); }),
    exactly("nearbyint", "nearbyintf", [](float x) { return bits_of(std::nearbyint(x)); }),
    exactly("roundeven", "roundevenf", [](float x) { return bits_of(std::rint(x)); }),
    exactly("round", "roundf", [](float x) { return bits_of(std::round(x)); }),
    exactly("fabs", "fabsf", [](float x) { return bits_of(std::fabs(x)); }),
    exactly("sqrt", "sqrtf", [](float x) { return bits_of(std::sqrt(x)); }),
    exactly("logb", "logbf", [](float x) { return bits_of(std::logb(x)); }),
    {"frexp", "frexpf", "d dp", 0, Output::f32, nullptr, rest_of_frexp},
    {"frexp.exponent", "frexpf", "d dp", 1, Output::s32, nullptr, exponent_of_frexp},
    {"modf", "modff", "d dp", 0, Output::f32, nullptr, rest_of_modf},
    {"modf.whole", "modff", "d dp", 1, Output::f32, nullptr, whole_of_modf},
    {"ilogb", "ilogbf", "i d", 0, Output::s32, nullptr, [](float x) { return bits_of(std::ilogb(x)); }},
    {"lround", "lroundf", "l d", 0, Output::s64, nullptr, away},
    {"llround", "llroundf", "l d", 0, Output::s64, nullptr, away},
    {"lrint", "lrintf", "l d", 0, Output::s64, nullptr, even},
    {"llrint", "llrintf", "l d", 0, Output::s64, nullptr, even},
};

// ---- judgement ----

constexpr double margin = 0x1p-44;
/// From this many results on, of one call of judge(), those whose error f64 can tell are no longer taken to
/// MPFR.
constexpr uint64_t many = 1 << 12;

void note(Tally& tally, double error, uint32_t argument) {
  ++tally.misrounded;
  if (error <= tally.worst) return;
  tally.worst = error;
  tally.worst_argument = argument;
}

/// The function of MPFR for a line of the table.
auto exact_function(const UnaryFunction& function) {
  std::string_view name = function.name;
  if (const size_t dot = name.find('.'); dot != name.npos) name.remove_prefix(dot + 1);
  for (const RealFunction& real : real_functions())
    if (real.name == name) return real.one;
  return decltype(RealFunction::one){};
}

void judge_exactly(const UnaryFunction& function, uint32_t argument, float result, Tally& tally) {
  Exact x, value;
  mpfr_set_flt(x.get(), std::bit_cast<float>(argument), MPFR_RNDN);
  exact_function(function)(value.get(), x.get(), MPFR_RNDN);
  ++tally.asked;
  const float nearest = mpfr_get_flt(value.get(), MPFR_RNDN);
  if (std::bit_cast<uint32_t>(nearest) == std::bit_cast<uint32_t>(result)) return;
  note(tally, error_of(result, value.get()), argument);
}

/// A result that is not what `about`, a value with a relative error below `margin`, rounds to on both of its
/// sides.
void judge_closely(const UnaryFunction& function, uint32_t argument, float result, double about,
                   Tally& tally) {
  if (std::isnan(about) && std::isnan(result)) return;
  const auto low = static_cast<float>(about * (1 - margin));
  const auto high = static_cast<float>(about * (1 + margin));
  if (low != high || tally.asked < many) return judge_exactly(function, argument, result, tally);
  const int exponent = std::max(std::ilogb(about), std::numeric_limits<float>::min_exponent - 1);
  const double error =
      std::fabs(std::ldexp(result - about, std::numeric_limits<float>::digits - 1 - exponent));
  note(tally, std::isnan(error) ? std::numeric_limits<double>::infinity() : error, argument);
}

void judge_rounded(const UnaryFunction& function, uint32_t first, uint32_t step,
                   std::span<const uint32_t> results, Tally& tally) {
  uint32_t argument = first;
  for (const uint32_t result : results) {
    const double about = function.approximate(std::bit_cast<float>(argument));
    const auto low = static_cast<float>(about * (1 - margin));
    const auto high = static_cast<float>(about * (1 + margin));
    if (std::bit_cast<uint32_t>(low) != result || std::bit_cast<uint32_t>(high) != result)
      judge_closely(function, argument, std::bit_cast<float>(result), about, tally);
    argument += step;
  }
}

/// Compares bits, but for NaN, whose bits are those of the machine.
template <typename Bits>
void judge_equal(const UnaryFunction& function, uint32_t first, uint32_t step, std::span<const Bits> results,
                 Tally& tally) {
  uint32_t argument = first;
  for (const Bits result : results) {
    const auto expected = static_cast<Bits>(function.exact(std::bit_cast<float>(argument)));
    const auto is_nan = [](Bits bits) {
      return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    };
    const bool same =
        result == expected || (function.output == Output::f32 && is_nan(result) && is_nan(expected));
    if (!same) note(tally, std::numeric_limits<double>::infinity(), argument);
    argument += step;
  }
}

}  // namespace

std::span<const UnaryFunction> unary_functions() { return table; }

Tally& Tally::operator+=(const Tally& other) {
  arguments += other.arguments;
  asked += other.asked;
  misrounded += other.misrounded;
  if (other.worst > worst) {
    worst = other.worst;
    worst_argument = other.worst_argument;
  }
  return *this;
}

void judge(const UnaryFunction& function, uint32_t first, uint32_t step, std::span<const uint32_t> results,
           Tally& tally) {
  tally.arguments += results.size();
  if (function.approximate != nullptr)
    judge_rounded(function, first, step, results, tally);
  else
    judge_equal(function, first, step, results, tally);
}

void judge(const UnaryFunction& function, uint32_t first, uint32_t step, std::span<const uint64_t> results,
           Tally& tally) {
  tally.arguments += results.size();
  judge_equal(function, first, step, results, tally);
}

}  // namespace heddle::testing
