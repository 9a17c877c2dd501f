// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "compiler/registers/live_ranges.h"

namespace heddle::compiler {

/// A register, or registers that became one, from its first definition to its last use.
struct Interval {
  uint32_t begin;
  uint32_t end;
  RegisterId id;
  bool may_spill;
};

struct Assignment {
  std::vector<std::pair<RegisterId, uint32_t>> numbers;  // the number of each register that did not spill
  std::vector<RegisterId> spilled;
  uint32_t count = 0;  // numbers below this are in use
};

/// Gives intervals of one kind numbers below `limit`, the lowest that are free. Where more are live, those
/// spill that end last. `intervals` are in ascending order of `begin`. Costs n log n.
Assignment scan(const std::vector<Interval>& intervals, uint32_t limit);

}  // namespace heddle::compiler
