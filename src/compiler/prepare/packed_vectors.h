// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors whose elements share bytes in memory, such as <8 x i1> and <3 x i7>.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::compiler {

/// Replaces loads and stores of such vectors by those of an integer with the same bits. Structures and arrays
/// that contain such vectors stay.
void expand_packed_accesses(llvm::Function& function);

}  // namespace heddle::compiler
