// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the sign of a floating-point number. HSAIL's neg, abs and copysign change the sign of a NaN
// and none of its other bits (PRM 5.13), and so do LLVM's fneg and fabs, into which LLVM also turns
// operations on bits. `neg` and `abs` of PTX may turn a NaN into any other one: NVIDIA's assembler turns each
// into 0x7fffffff.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Computes signs with bitwise operations where anything but a floating-point operation uses the result.
/// Floating-point operations treat all NaNs alike, and their instructions negate operands at no cost. Must be
/// called after all optimisations, which would undo it.
void keep_bits_of_signs(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
