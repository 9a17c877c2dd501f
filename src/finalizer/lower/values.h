// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what the lowering of single instructions leaves behind to IR that analyses understand: registers are
// values, and addresses are pointers with offsets.
#pragma once

#include "finalizer/llvm.h"
#include "support/result.h"

namespace heddle::finalizer {

/// Turns the memory of registers into SSA values, and takes apart the variables of the work-item that lie
/// outside of its private frame. Fails if a register stays in memory, which would be a fault of the lowering:
/// what looks for loops that wait, and what makes waves of work-items, reasons about values.
Result<void> registers_to_values(llvm::Module& module);

/// Rewrites each address that is computed as an integer sum, `inttoptr(base + offset)`, as the pointer
/// `inttoptr(base)` with an offset. Alias analysis and the wave compiler see bases and strides in the second
/// form only. Needs registers to be values.
void addresses_to_pointers(llvm::Module& module);

}  // namespace heddle::finalizer
