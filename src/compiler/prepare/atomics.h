// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Leaves only atomic operations that HSAIL has (PRM 6.6): on 32 and 64 bits of global, group and flat
/// memory. Operations on private memory, which no other work-item sees, become ordinary ones; operations on 8
/// and 16 bits happen in the word around them; what HSAIL has no operation for, as on floating-point numbers,
/// is a loop around compare-and-swap. Volatile loads of 8 and 16 bits become relaxed atomic ones, as those of
/// 32 and 64 bits do when they are emitted, so that loops that wait by them are known to wait.
void expand_atomics(llvm::Function& function);

}  // namespace heddle::compiler
