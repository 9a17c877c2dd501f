// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Adds prefetches to loops in which each work-item reads memory of its own from one end to the other: an
/// iteration prefetches what later ones gather. A wave then follows as many streams as it has lanes, more
/// than the prefetchers of processors do, and each of its gathers would wait for memory. Memory of
/// `near_spaces`, LLVM's address spaces, is in a cache anyway. `wave` is the function of a wave before its
/// target operations are lowered.
void prefetch_lane_streams(llvm::Function& wave, llvm::ArrayRef<unsigned> near_spaces);

}  // namespace heddle::finalizer::spmd
