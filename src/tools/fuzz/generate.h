// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random HSAIL programs that end, and whose results the PRM defines to the last bit.
#pragma once

#include <cstdint>

#include "program.h"

namespace heddle::tools::fuzz {

/// The program of a seed; the same on every machine. Work-items read their record, compute under branches,
/// loops, switches, arbitrary control flow graphs and calls (direct, by index, by handle, recursive), use all
/// segments, meet at barriers where control flow is uniform, and count together with atomics whose final
/// value does not depend on their order. Lanes exchange values, and waves join fbarriers, so that results are
/// the same for waves of every size. What the PRM leaves open is kept out: NaNs become one NaN, divisors
/// are not zero, registers start with values. It executes instruction_budget instructions at most, however
/// long that takes.
/// Basic programs keep to what tools of HSA 1.0 handle well: no packed types, f16, rounding modes, fbarriers,
/// cross-lane instructions or indirect calls.
Program generate(uint64_t seed, bool basic = false);

}  // namespace heddle::tools::fuzz
