// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"
#include "finalizer/spmd/parts.h"

namespace heddle::finalizer::x86 {

/// Replaces the calls by which functions of waves ask for what concerns single lanes
/// (spmd/wave_operations.h). What is left are target operations, to be lowered afterwards. The first argument
/// of each function that contains such a call is its Context. `wave_of` tells the waves of these functions.
void lower_wave_operations(llvm::Module& module,
                           llvm::function_ref<spmd::WaveShape(const llvm::Function&)> wave_of);

}  // namespace heddle::finalizer::x86
