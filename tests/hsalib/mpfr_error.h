// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of MPFR, and how far results are from them.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::testing {

constexpr mpfr_prec_t precision = 300;

/// A number of MPFR.
class Exact {
 public:
  Exact() { mpfr_init2(value_, precision); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// A binary format of IEEE 754, as std::numeric_limits describes it.
struct Format {
  int digits, min_exponent, max_exponent;
};
template <typename T>
constexpr Format format_of = {std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent,
                              std::numeric_limits<T>::max_exponent};
template <>  // for which not every library has limits
inline constexpr Format format_of<_Float16> = {11, -13, 16};

/// Returns by how many units in the last place of T the result differs from the exact value; infinity if it
/// is of another kind. A result that is too large by less than a unit may be infinite.
template <typename T>
double error_of(T rounded, mpfr_ptr exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  constexpr Format format = format_of<T>;
  const auto result = static_cast<double>(rounded);
  if (mpfr_nan_p(exact)) return std::isnan(result) ? 0 : wrong;
  if (std::isnan(result)) return wrong;
  if (std::signbit(result) != (mpfr_signbit(exact) != 0)) return wrong;
  if (mpfr_zero_p(exact)) return result == 0 ? 0 : wrong;
  if (mpfr_inf_p(exact)) return std::isinf(result) ? 0 : wrong;
  const long exponent = std::clamp<long>(mpfr_get_exp(exact), format.min_exponent, format.max_exponent);
  Exact difference;
  if (std::isinf(result))  // stands for the first power of two that is too large
    mpfr_set_ui_2exp(difference.get(), 1, format.max_exponent, MPFR_RNDN);
  else
    mpfr_set_d(difference.get(), std::fabs(result), MPFR_RNDN);
  if (std::isinf(result) && mpfr_cmpabs(exact, difference.get()) >= 0) return 0;
  Exact magnitude;
  mpfr_abs(magnitude.get(), exact, MPFR_RNDN);
  mpfr_sub(difference.get(), difference.get(), magnitude.get(), MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), format.digits - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference.get(), MPFR_RNDA));
}

}  // namespace heddle::testing
