// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns what the lowering of single instructions makes into IR that analyses understand: registers become
// values, and addresses become pointers with offsets.
#pragma once

#include "finalizer/llvm.h"
#include "support/result.h"

namespace heddle::finalizer {

/// Turns registers in memory into SSA values, and splits variables of the work-item that are not in its
/// private frame (SROA). Fails if a register stays in memory, which would be an error in the lowering: the
/// search for loops that wait and the wave compiler work on values.
Result<void> registers_to_values(llvm::Module& module);

/// Rewrites each address that is computed as an integer sum, `inttoptr(base + offset)`, as the pointer
/// `inttoptr(base)` with an offset. Only in this form do alias analysis and the wave compiler see bases and
/// strides. Registers must be values by now.
void addresses_to_pointers(llvm::Module& module);

}  // namespace heddle::finalizer
