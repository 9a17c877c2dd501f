// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "compiler/code/code.h"

namespace heddle::compiler {

/// A part of the code in which a register holds a value that is used later: the positions from `begin` up to,
/// but without, `end`. Instruction i of the code reads its sources at position 2i and writes its definitions
/// at 2i + 1.
struct LiveRange {
  uint32_t begin;
  uint32_t end;
};

/// Where a register is live: ranges in ascending order that do not touch. Empty for registers that the code
/// does not mention.
using LiveRanges = llvm::SmallVector<LiveRange, 1>;

/// Returns the live ranges of all registers. The cost is proportional to the code and to the sum of the
/// numbers of blocks in which each register is live at the start.
std::vector<LiveRanges> find_live_ranges(const Code& code);

}  // namespace heddle::compiler
