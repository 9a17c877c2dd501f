// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens what computes a value for each lane from the lane's operands alone.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Widens a varying instruction that is neither a phi, nor a call, nor an access to memory.
void widen_arithmetic(Widening& widening, const llvm::Instruction& instruction);

}  // namespace heddle::finalizer::spmd
