// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer {

/// Adds LLVM's operation on numbers or on vectors of them, which rounds to the nearest even number. An
/// operation with fewer operands than `x` has ignores the last ones. A result that turns out to be a constant
/// has no signalling NaN (PRM 4.19.4). That of another result may be one until mark_canonical() is called
/// (lower/canonical.h).
llvm::Value* round_to_nearest(llvm::IRBuilder<>& ir, RoundedOp op, llvm::ArrayRef<llvm::Value*> x);

}  // namespace heddle::finalizer
