// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random HSAIL programs that terminate and whose results the PRM defines to the last bit.
#pragma once

#include <cstdint>

#include "program.h"

namespace heddle::tools::fuzz {

/// What generated programs may contain.
enum class Contents : uint8_t {
  basic,     ///< only what tools of HSA 1.0 handle well: no packed types, f16, rounding modes, fbarriers,
             ///< cross-lane instructions or indirect calls
  portable,  ///< whatever has the same results for waves of every size
  walks,     ///< also loops over words whose number of rounds cannot be known before they begin, but no
             ///< cross-lane instructions: with them, compilers track active lanes inside these loops, and the
             ///< passes for loops do not apply
  waves,     ///< what is portable, and what depends on the size of waves: the program observes them
             ///< (Program::observes_waves)
};

/// Generates the program of a seed, which is the same on every machine. Work-items read their records,
/// compute under branches, loops, switches, arbitrary control flow graphs and calls (direct, by index, by
/// handle, recursive), use all segments, wait at barriers where control flow is uniform, and count together
/// with atomics whose final value does not depend on their order. Lanes exchange values, and waves join
/// fbarriers, in ways that have the same results for waves of every size; programs that observe waves also
/// store what they see of them, and branch on it. Programs avoid what the PRM leaves open: all NaNs become
/// one NaN, divisors are not zero, and registers have initial values. A program executes at most
/// instruction_budget instructions.
Program generate(uint64_t seed, Contents contents = Contents::portable);

}  // namespace heddle::tools::fuzz
