// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

namespace heddle::testing {
namespace {

int log_gamma(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(out, &sign, x, rounding);
}

/// 1 / sqrt(x), which is -infinity for -0 (IEEE 754, rSqrt); MPFR gives +infinity.
int reciprocal_root(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) {
  if (!mpfr_zero_p(x)) return mpfr_rec_sqrt(out, x, rounding);
  mpfr_set_inf(out, mpfr_signbit(x) ? -1 : 1);
  return 0;
}

constexpr RealFunction table[] = {
    {"exp", mpfr_exp, nullptr, -746, 710, 0.75},      {"exp2", mpfr_exp2, nullptr, -1075, 1024, 0.75},
    {"exp10", mpfr_exp10, nullptr, -324, 309, 0.75},  {"expm1", mpfr_expm1, nullptr, -40, 710, 0.75},
    {"log", mpfr_log, nullptr, 0, 4, 0.75},           {"log2", mpfr_log2, nullptr, 0, 4, 0.75},
    {"log10", mpfr_log10, nullptr, 0, 4, 0.75},       {"log1p", mpfr_log1p, nullptr, -1, 4, 0.75},
    {"pow", nullptr, mpfr_pow, -40, 40, 0.75},        {"sinh", mpfr_sinh, nullptr, -711, 711, 0.75},
    {"cosh", mpfr_cosh, nullptr, -711, 711, 0.75},    {"tanh", mpfr_tanh, nullptr, -25, 25, 0.75},
    {"asinh", mpfr_asinh, nullptr, -10, 10, 0.75},    {"acosh", mpfr_acosh, nullptr, 1, 10, 0.75},
    {"atanh", mpfr_atanh, nullptr, -1, 1, 0.75},      {"cbrt", mpfr_cbrt, nullptr, -10, 10, 0.75},
    {"rsqrt", reciprocal_root, nullptr, 0, 10, 0.75}, {"hypot", nullptr, mpfr_hypot, -10, 10, 0.75},
    {"sin", mpfr_sin, nullptr, -1e6, 1e6, 0.75},      {"cos", mpfr_cos, nullptr, -1e6, 1e6, 0.75},
    {"tan", mpfr_tan, nullptr, -1e6, 1e6, 0.75},      {"asin", mpfr_asin, nullptr, -1, 1, 0.75},
    {"acos", mpfr_acos, nullptr, -1, 1, 0.75},        {"atan", mpfr_atan, nullptr, -10, 10, 0.75},
    {"atan2", nullptr, mpfr_atan2, -10, 10, 1},       {"sinpi", mpfr_sinpi, nullptr, -100, 100, 0.75},
    {"cospi", mpfr_cospi, nullptr, -100, 100, 0.75},  {"erf", mpfr_erf, nullptr, -6, 6, 0.75},
    {"erfc", mpfr_erfc, nullptr, -6, 28, 0.75},       {"tgamma", mpfr_gamma, nullptr, -186, 172, 0.75},
    {"lgamma", log_gamma, nullptr, -30, 100, 0.75},
};

}  // namespace

std::span<const RealFunction> real_functions() { return table; }

}  // namespace heddle::testing
