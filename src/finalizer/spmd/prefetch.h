// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Makes loops whose counter grows by a size of the grid prefetch what their later iterations load. All
/// work-items of a grid together read consecutive memory in such a loop, but those of one wave make steps
/// that are too long for the prefetchers of processors. `wave` is the function of a wave before its target
/// operations are lowered.
void prefetch_grid_strides(llvm::Function& wave);

}  // namespace heddle::finalizer::spmd
