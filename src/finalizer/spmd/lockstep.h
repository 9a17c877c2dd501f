// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose work-items rely on each other's stores without a barrier.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Makes a function such that the work-items of a wave see each other's stores at once: each store is
/// complete for all of them before any of them accesses memory again, and begins only when all of them have
/// executed what is in front of it. To be called before LLVM simplifies the function: what holds for one
/// work-item, such as that it finds what it has stored, need not hold if others store there meanwhile.
void keep_stores_in_order(llvm::Function& function);

}  // namespace heddle::finalizer::spmd
