// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes back what LLVM's simplification makes and waves cannot have.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Replaces instructions that have no form for vectors by others with the same results:
/// - arithmetic that also tells whether it overflows (`llvm.umul.with.overflow` and the like) becomes
///   arithmetic with twice as many bits, of which LLVM made it;
/// - loads and stores of vectors of i1 become those of integers with as many bits.
void restore_vector_forms(llvm::Function& function);

}  // namespace heddle::finalizer::spmd
