// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes of a wave are active (PRM 2.12, 9.4). The GPU parts lanes at branches and brings them together
// again where and when it likes, so that it cannot be asked. Instead, the functions in which it matters
// compute the set:
// - A branch that may part lanes makes the set of those that take each way.
// - At the immediate post-dominator of the branch, the lanes that it has parted wait for each other, and the
// set is
//   that before the branch. If several branches have the same post-dominator, as nested ones and the
//   iterations of a loop have, the set is that before the first of them.
// The sets are computed on HSAIL's own control flow, before LLVM changes it. LLVM cannot spoil them, because
// each operation names the lanes that take part.
#pragma once

#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::ptx {

/// Adds the computation of active lanes to the functions that reach an operation that depends on them, and
/// replaces these operations: cross-lane ones, wavebarrier, and those on fbarriers. Entries set
/// Context::active to the lanes that have a work-item. Must be called before any optimisation.
void track_active_lanes(SpmdProgram& spmd);

/// Creates the code of an operation that depends on the active lanes, before the call of it. Returns the
/// value that replaces the call.
llvm::Value* lower_with_lanes(llvm::IRBuilder<>& ir, llvm::CallInst& call, llvm::Value* active);
/// Reports whether lower_with_lanes() has code for the operation that a call calls.
bool depends_on_lanes(const llvm::CallBase& call);

}  // namespace heddle::finalizer::ptx
