// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that ask for lock-step (finalizer/lockstep.h) on GPUs, whose lanes run ahead of each other.
#pragma once

#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::ptx {

/// Makes the lanes of a wave meet in front of and behind whatever others may see: stores and atomic
/// operations of kernels and indirect functions that ask for lock-step, and of all functions that they call.
/// To be called before track_active_lanes(), which finds out which lanes meet, and before any optimisation.
void keep_lockstep(SpmdProgram& spmd);

}  // namespace heddle::finalizer::ptx
