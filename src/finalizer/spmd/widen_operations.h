// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens target operations (lower/target_operations.h).
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

void widen_operation(Widening& widening, const llvm::CallInst& call, TargetOperation operation);

}  // namespace heddle::finalizer::spmd
