// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/code/code.h"
#include "compiler/code/text.h"

namespace heddle::compiler {

/// Marks comparisons whose result only the branch at the end of their block uses. The registers must be
/// virtual.
void mark_branch_conditions(Code& code);

/// Lets blocks that branch on a marked comparison go on with the next block without a second branch: where
/// the branch leads to the next block, and a branch behind it elsewhere, the opposite comparison leads
/// elsewhere. Loops get one branch back that way.
void fall_through(Code& code, Text& text);

}  // namespace heddle::compiler
