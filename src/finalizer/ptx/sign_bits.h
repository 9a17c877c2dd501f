// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the sign of a floating-point number. HSAIL's neg, abs and copysign change the sign of a NaN
// and none of its other bits (PRM 5.13), and so do LLVM's fneg and fabs, into which LLVM also turns operations
// on bits. `neg` and `abs` of PTX may give any NaN for one: NVIDIA's assembler makes 0x7fffffff of each.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Computes signs with operations on bits where something else than a floating-point operation uses the
/// result. Such operations take any NaN for any other, and to them a sign costs nothing. Must be called after
/// all optimisations, which would undo it.
void keep_bits_of_signs(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
