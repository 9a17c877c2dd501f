// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// Estimates how many vector registers of `register_bits` bits a function needs so that none of its vectors
/// has to be kept in memory: the largest number of vectors that are live at the same time, where a vector
/// that is longer than a register counts several times. Neither constants nor
/// arguments count.
unsigned vector_pressure(const llvm::Function& function, unsigned register_bits);

}  // namespace heddle::finalizer::x86
