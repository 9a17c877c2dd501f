// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens calls of any kind: of intrinsics of LLVM, target operations, and functions.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

void widen_call(Widening& widening, const llvm::CallInst& call);

}  // namespace heddle::finalizer::spmd
