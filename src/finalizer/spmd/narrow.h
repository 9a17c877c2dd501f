// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers with as few bits as their values need.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Compares numbers that are computed from bytes, or from integers of 16 bits, as integers of 8 or 16 bits,
/// if none of the numbers on the way to the comparison can have more bits. HSAIL has arithmetic of less than
/// 32 bits in packed types only, so that a program that adds and compares bytes does it with 32 bits, but a
/// vector has more lanes of narrower integers. Results that are truncated are left to LLVM, which computes
/// them without the upper bits. Reports whether something changed.
bool narrow_comparisons(llvm::Function& function);

}  // namespace heddle::finalizer::spmd
