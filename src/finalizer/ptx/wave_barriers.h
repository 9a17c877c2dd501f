// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of kernels whose work-items may end before barriers that others reach (docs/hsail.md, "Early
// return"). The GPU's barrier waits for all lanes of a wave that have not ended. Lanes that have left a loop
// wait for the others of their wave behind it, and never come if these wait in a barrier of the loop. Kernels
// in which that may happen get barriers that count waves, of which some lanes arrive for all.
#pragma once

#include <set>

#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::ptx {

/// Number of the operation on fbarriers (FbarrierOp) that such a barrier becomes. Its handle is 0, because
/// Context::waves says where it is; unless Context::counts_waves is set, it is the GPU's barrier.
inline constexpr uint32_t wave_barrier_operation = 16;

/// Replaces barriers of the kernels for which `may_return_early` holds and in which lanes may wait behind a
/// branch or loop while others are in a barrier, and of the functions that these call. Returns their bodies.
/// Barriers stay as they are if several sets of lanes of a wave could arrive on their own. To be called
/// before track_active_lanes(), which finds out which lanes arrive together.
std::set<const llvm::Function*> use_wave_barriers(
    SpmdProgram& spmd, llvm::function_ref<bool(const SpmdKernel&)> may_return_early);

}  // namespace heddle::finalizer::ptx
