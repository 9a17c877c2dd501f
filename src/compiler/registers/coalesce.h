// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "compiler/registers/live_ranges.h"

namespace heddle::compiler {

/// Which registers become one: maps each register to the one that stands for its group. Registers that copies
/// connect are grouped if they are nowhere live at the same time, so that the copies vanish. Copies are taken
/// in the order of the code.
std::vector<RegisterId> coalesce(const Code& code, const std::vector<LiveRanges>& ranges);

}  // namespace heddle::compiler
