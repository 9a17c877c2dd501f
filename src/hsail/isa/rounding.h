// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How instructions round, by the codes of BRIG (hsa_brig_round_t). Any code is accepted.
#pragma once

#include "support/exact.h"

namespace heddle::isa {

/// The direction of a floating-point rounding (PRM 4.19.2). `default_round`, the program's, stands for codes
/// that name none; it is near if it is not zero.
exact::Rounding float_rounding(unsigned round, unsigned default_round);

/// One of the sixteen roundings of floating-point values to integers (PRM 5.19.4).
struct IntegerRounding {
  exact::Rounding direction;
  bool saturates;
  bool signals_inexact;
};
/// zeroi for codes that name none, as for conversions that do not write one.
IntegerRounding integer_rounding(unsigned round);

}  // namespace heddle::isa
