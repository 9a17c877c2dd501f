// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernels must run each wavefront as a fiber (kernel_abi.h): those in which work-items wait for each
// other, at barriers or in loops that look at memory.
#pragma once

#include <set>

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// Puts TargetOperation::yield on the back edges of loops that may wait for another work-item: that can be
/// left because of what an atomic or a signal operation found, or because of what an ordinary load found that
/// looks at one place again and again, with something in the loop that makes stores of others visible, or
/// with nothing else in the loop that could end it. A compare-and-swap loop that retries with the value it
/// found is no wait. Works before calls are lowered; without SSA form (registers in memory), every loop that
/// could wait counts as one that does.
void add_yields(llvm::Module& module, bool ssa);

/// Functions that may run a barrier, an fbarrier, a signal wait or a yield, themselves or through calls.
std::set<const llvm::Function*> functions_needing_fibers(const llvm::Module& module,
                                                         llvm::ArrayRef<llvm::Function*> indirect_functions);

}  // namespace heddle::finalizer::x86
