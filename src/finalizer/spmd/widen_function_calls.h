// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens calls of functions (wave_functions.h).
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Widens a call of a function of HSAIL, by name or by handle.
void widen_function_call(Widening& widening, const llvm::CallInst& call);

}  // namespace heddle::finalizer::spmd
