// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations of all lanes on one address, as a single access to memory. Nobody can tell it from the
// lanes' accesses one directly after the other, in the order of the lanes.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Executes a call of the target operation `atomic` as one access for all active lanes, and reports whether
/// that is possible: if they agree on the address, and operands can be combined before the access. If lanes
/// use the old value, the operation has to be an addition or subtraction.
[[nodiscard]] bool widen_as_reduction(Widening& widening, const llvm::CallInst& call);

}  // namespace heddle::finalizer::spmd
