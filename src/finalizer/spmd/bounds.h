// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upper bounds of integers that hold even in lanes that are not active.
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Returns a number that an integer of at most 64 bits, taken as unsigned, never exceeds. It follows from how
/// the value is computed, and neither from the branches that lead to it nor from flags of instructions, which
/// say nothing of lanes that are not active. The work-item IDs of all lanes must be those of work-items.
uint64_t upper_bound(const llvm::Value& value);

}  // namespace heddle::finalizer::spmd
