// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens calls: intrinsics of LLVM and target operations.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

void widen_call(Widening& widening, const llvm::CallInst& call);

}  // namespace heddle::finalizer::spmd
