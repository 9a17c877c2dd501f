// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code/code.h"

namespace heddle::compiler {

/// Turns references to registers that no instruction defines into ends of the variables that they are about.
/// To be called before allocation.
void end_undefined_variables(Code& code);

/// Ends each variable of the source in front of an instruction that overwrites the register which may hold
/// the variable there, so that debuggers never show the value of something else. To be called after
/// allocation.
void end_overwritten_variables(Code& code);

}  // namespace heddle::compiler
