// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division of integers. Processors have no instruction for vectors of them.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Creates what a division or remainder of integers, or of vectors of them, becomes whose result is varying.
/// Inactive lanes never trap.
void widen_division(Widening& widening, const llvm::BinaryOperator& division);

}  // namespace heddle::finalizer::spmd
