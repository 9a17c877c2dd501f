// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code/code.h"
#include "compiler/code/text.h"

namespace heddle::compiler {

/// How many registers of each kind a code block may have.
struct RegisterLimits {
  uint32_t c = 128;       // c registers
  uint32_t words = 2048;  // s registers, and twice the d registers (PRM 4.7)
};

/// Numbers the registers of the code anew so that they fit into the limits: linear scan over live ranges
/// after copies have been coalesced. Registers that do not fit live in variables of the spill segment.
/// `words` must be at least 32 and `c` at least 4, so that the operands of any instruction fit. `text` keeps
/// the strings that the code refers to.
void allocate_registers(Code& code, Text& text, const RegisterLimits& limits = {});

}  // namespace heddle::compiler
