// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives floating-point results the bits that HSAIL requires and LLVM does not guarantee: no signalling NaN
// (PRM 4.19.4) and, where subnormal numbers are flushed, no subnormal number (PRM 4.19.3). LLVM simplifies
// operations that do not change a number, such as x * 1, x + -0, x - 0, x / 1 or a conversion there and back,
// to x itself. It may find such a constant only after inlining or unrolling, so lowering cannot tell
// beforehand. The difference matters only where the bits are seen, because another floating-point operation
// treats x and the result alike.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Wherever the bits of the result of a floating-point operation are seen, replaces the result by its
/// llvm.canonicalize.
void mark_canonical(llvm::Module& module);

/// Removes each llvm.canonicalize of a value that the target's own operations have made canonical, and each
/// whose result only operations use. Leaves the others to instruction selection. To be called after all
/// optimisations.
void settle_canonical(llvm::Module& module);

}  // namespace heddle::finalizer
