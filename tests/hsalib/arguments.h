// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments for functions that are compared with MPFR.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "hsalib/mpfr_error.h"

namespace heddle::testing {

template <typename T>
std::vector<T> special_values() {
  constexpr Format format = format_of<T>;
  const double epsilon = std::ldexp(1.0, 1 - format.digits);
  const double smallest = std::ldexp(1.0, format.min_exponent - 1);
  std::vector<double> values{0,
                             1,
                             2,
                             3,
                             0.5,
                             1.5,
                             2.5,
                             smallest,
                             std::ldexp(smallest, 1 - format.digits),
                             std::ldexp(2 - epsilon, format.max_exponent - 1),
                             std::numeric_limits<double>::infinity(),
                             epsilon,
                             1 - epsilon / 2,
                             1 + epsilon,
                             1e10,
                             std::ldexp(1.0, format.digits),
                             std::ldexp(1.0, format.digits) - 1};
  for (size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  std::vector<T> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(static_cast<T>(value));
  return result;
}

/// The multiples of pi/2 that are nearest to a number of T, as far as they can be found by rounding, and
/// integers.
template <typename T>
T near_multiple(std::mt19937_64& random) {
  Exact half_pi;
  mpfr_const_pi(half_pi.get(), MPFR_RNDN);
  mpfr_mul_ui(half_pi.get(), half_pi.get(), random() >> (random() % 64), MPFR_RNDN);
  mpfr_div_2ui(half_pi.get(), half_pi.get(), 1, MPFR_RNDN);
  return static_cast<T>(mpfr_get_d(half_pi.get(), MPFR_RNDN));
}

template <typename T>
T random_bits(std::mt19937_64& random) {
  using Bits =
      std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
  return std::bit_cast<T>(static_cast<Bits>(random()));
}

/// An argument for a function whose interesting ones are from `low` to `high`.
template <typename T>
T random_argument(double low, double high, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return random_bits<T>(random);
    case 1:
      return near_multiple<T>(random);
    case 2:  // of the size of 1
      return static_cast<T>(
          std::ldexp(std::uniform_real_distribution(-2.0, 2.0)(random), -static_cast<int>(random() % 32)));
    default:
      return static_cast<T>(std::uniform_real_distribution(low, high)(random));
  }
}

}  // namespace heddle::testing
