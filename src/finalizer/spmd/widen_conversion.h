// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saturating conversions of numbers of floating point to integers.
#pragma once

#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {

/// Creates what a call of fptosi.sat or fptoui.sat becomes whose result is varying, from the vector
/// instructions for conversions that do not saturate: LLVM would convert element by element. Returns false
/// and creates nothing for other calls, and for integers of more than 32 bits.
[[nodiscard]] bool widen_conversion(Widening& widening, const llvm::CallInst& call);

}  // namespace heddle::finalizer::spmd
