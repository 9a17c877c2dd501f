// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

#include "finalizer/x86/coroutine.h"

namespace heddle::finalizer::x86 {

/// Lets the waves of a group take turns in loops in which each iteration of a wave reads what is far from
/// what it read before, but beside what the other waves read. A loop that strides through an array by the
/// size of the grid is the usual one: of each page, and of each line of the caches, a wave that runs on alone
/// uses only a part, and the next wave finds neither in the fastest memories any more.
void add_turns(Coroutine& coroutine, llvm::FunctionAnalysisManager& analyses);

}  // namespace heddle::finalizer::x86
