// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of the BRIG codes for rounding (hsa_brig_round_t). All functions accept any code.
#pragma once

#include "support/exact.h"

namespace heddle::isa {

/// Returns the direction of a floating-point rounding (PRM 4.19.2). A code that names none means
/// `default_round`, the rounding mode of the module: zero, or near for any other code.
exact::Rounding float_rounding(unsigned round, unsigned default_round);

/// One of the sixteen roundings of floating-point values to integers (PRM 5.19.4).
struct IntegerRounding {
  exact::Rounding direction;
  bool saturates;
  bool signals_inexact;
};
/// Returns the rounding of a code, or zeroi for codes that name none, which is the default of conversions.
IntegerRounding integer_rounding(unsigned round);

}  // namespace heddle::isa
