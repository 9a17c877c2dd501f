// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the instructions that linearise() adds in order.
#pragma once

#include "finalizer/llvm.h"
#include "finalizer/spmd/spmd_function.h"

namespace heddle::finalizer::spmd {

/// Simplifies the instructions that are not among `original`, and finds their shapes. The masks then have as
/// few operations as their simple rules allow, and remain made of `select`, `or` and phis.
void tidy(SpmdFunction& state, llvm::ArrayRef<llvm::WeakVH> original);

}  // namespace heddle::finalizer::spmd
