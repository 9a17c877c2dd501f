// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsamath, and what MPFR and the C library say about their results.
#pragma once

#include <mpfr.h>

#include <ostream>
#include <span>

namespace heddle::testing {

/// A function of one or two numbers that is compared with MPFR.
struct RealFunction {
  const char* name;
  int (*one)(mpfr_t, const mpfr_t, mpfr_rnd_t);                ///< null for functions of two numbers
  int (*two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);  ///< null for functions of one number
  double low, high;                                            ///< of arguments that are dense in the tests
  double ulps;  ///< the error that is allowed, in units in the last place of f64
};
inline void PrintTo(const RealFunction& function, std::ostream* out) { *out << function.name; }

std::span<const RealFunction> real_functions();

}  // namespace heddle::testing
