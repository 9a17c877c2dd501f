// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the control flow of a function that of a wave.
#pragma once

#include "finalizer/llvm.h"
#include "finalizer/spmd/spmd_function.h"

namespace heddle::finalizer::spmd {

/// Linearises a function in canonical form. Afterwards it is still scalar, but it visits the blocks that a
/// wave visits:
/// - Each branch is uniform or depends on hsail.any.
/// - `state.masks` has the mask of each block. Whatever accesses memory, communicates, or asks for the active
///   work-items does so for the work-items of the mask. Values are right for these work-items only.
/// - The mask is not empty in blocks with instructions that are not speculatable (speculation.h).
/// - `state.shapes` has the shapes of all values.
/// If hsail.any returned its operand, the function would still do what one work-item does whose entry mask is
/// true.
///
/// `state` has to have the shapes of the function and the entry mask. Its masks must be empty.
void linearise(SpmdFunction& state);

}  // namespace heddle::finalizer::spmd
