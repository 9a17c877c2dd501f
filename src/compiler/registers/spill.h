// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "compiler/code/code.h"
#include "compiler/code/text.h"

namespace heddle::compiler {

inline constexpr uint32_t no_slot = ~0U;

/// Moves registers to variables of the spill segment: each use gets a register of its own, which is loaded
/// before it, each definition one that is stored after it. `slots` has the number of the variable of each
/// register, or no_slot; registers with the same number share a variable. Adds definitions of the variables
/// to the code.
void spill(Code& code, Text& text, const std::vector<uint32_t>& slots);

}  // namespace heddle::compiler
