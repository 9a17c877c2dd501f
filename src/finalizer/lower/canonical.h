// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HSAIL says of the bits of a floating-point result, and LLVM does not: no NaN that signals
// (PRM 4.19.4), and where subnormal numbers are flushed none of them (PRM 4.19.3). LLVM takes x * 1, x + -0,
// x - 0, x / 1 or a conversion there and back for x itself, whenever it finds out that an operand is such a
// constant: perhaps after inlining or unrolling only, so that no lowering can tell beforehand. What then is
// left of the operation matters only to whoever sees the bits; another floating-point operation does the same
// with either.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Where the bits of results of floating-point operations are seen, makes them those of an
/// llvm.canonicalize of the result. Registers must be values by now.
void mark_canonical(llvm::Module& module);

/// After all optimisations: takes away each llvm.canonicalize of what the target's own operations have made
/// canonical. The others are for the target's instruction selection.
void settle_canonical(llvm::Module& module);

}  // namespace heddle::finalizer
