// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the kernels in which work-items wait for each other: at fbarriers, for signals, in loops that observe
// memory, or at barriers. On CPUs their waves have to be fibers (kernel_abi.h), those with barriers only
// where coroutines are not possible. On GPUs their work-groups have to begin in order.
#pragma once

#include <set>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Adds TargetOperation::yield to the back edges of loops that may wait for another work-item. These are the
/// loops with an exit that depends on the result of an atomic or signal operation, and those with an exit
/// that depends on an ordinary load from a fixed address, if the loop also makes stores of others visible or
/// has nothing else that could end it. A compare-and-swap loop that retries with the value it found is not a
/// wait. To be called before target operations are lowered. Without SSA form (registers in memory), every
/// loop that could wait counts as waiting.
void add_yields(llvm::Module& module, bool ssa);

/// Returns the functions that may execute an fbarrier, a signal wait or a yield, themselves or through calls,
/// so that their waves have to be fibers.
std::set<const llvm::Function*> functions_needing_fibers(const llvm::Module& module);

/// Returns the functions that may execute a barrier, themselves or through direct calls.
std::set<const llvm::Function*> functions_with_barriers(const llvm::Module& module);

}  // namespace heddle::finalizer
