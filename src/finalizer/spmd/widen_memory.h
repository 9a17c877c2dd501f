// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens loads, stores, and variables on the stack. The law of it (PRM 17.7): the bytes that are touched are
// those that active lanes touch.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

void widen_load(Widening& widening, const llvm::LoadInst& load);
void widen_store(Widening& widening, const llvm::StoreInst& store);

/// Gives each lane a variable of its own, one behind the other.
void widen_alloca(Widening& widening, const llvm::AllocaInst& variable);

}  // namespace heddle::finalizer::spmd
