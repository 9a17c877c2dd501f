// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations whose results depend on which lanes are active, or on what other lanes have (PRM 9.4). The lanes
// of the function's waves must be those of HSAIL's waves.
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Widens laneid and the operations on active lanes.
void widen_cross_lane(Widening& widening, const llvm::CallInst& call, TargetOperation operation);

}  // namespace heddle::finalizer::spmd
