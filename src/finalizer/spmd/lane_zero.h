// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lane 0 of a wave has in a value, as a value of SPMD IR.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Makes a call of `T hsail.lane0.T(T)` for an integer. It returns, to all work-items of a wave, the value
/// that lane 0 has, whether that lane is active or not (see Shape). If a wave has one work-item, it returns
/// its operand.
llvm::CallInst* create_value_of_lane_0(llvm::IRBuilderBase& ir, llvm::Value* value);

/// Returns the operand of a call of hsail.lane0, or null for other values.
llvm::Value* value_of_lane_0(const llvm::Value& call);

}  // namespace heddle::finalizer::spmd
