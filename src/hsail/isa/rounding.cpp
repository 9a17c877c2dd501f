// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/rounding.h"

#include <hsa/hsa_brig_modifiers.h>

namespace heddle::isa {

using exact::Rounding;

Rounding float_rounding(unsigned round, unsigned default_round) {
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_NEAR_EVEN:
      return Rounding::near_even;
    case HSA_BRIG_ROUND_FLOAT_ZERO:
      return Rounding::zero;
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      return Rounding::up;
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      return Rounding::down;
    default:
      return default_round == HSA_BRIG_ROUND_FLOAT_ZERO ? Rounding::zero : Rounding::near_even;
  }
}

// The codes form four groups: plain, with saturation, signalling inexact, and both. Each group has the four
// directions in the same order.
IntegerRounding integer_rounding(unsigned round) {
  constexpr Rounding directions[] = {Rounding::near_even, Rounding::zero, Rounding::up, Rounding::down};
  constexpr struct {
    unsigned first;
    bool saturates, signals_inexact;
  } forms[] = {{HSA_BRIG_ROUND_INTEGER_NEAR_EVEN, false, false},
               {HSA_BRIG_ROUND_INTEGER_NEAR_EVEN_SAT, true, false},
               {HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN, false, true},
               {HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN_SAT, true, true}};
  for (const auto& form : forms) {
    if (round >= form.first && round < form.first + 4)
      return {directions[round - form.first], form.saturates, form.signals_inexact};
  }
  return {Rounding::zero, false, false};
}

}  // namespace heddle::isa
