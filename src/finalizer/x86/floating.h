// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target operations on f32 and f64 (lower/target_operations.h). Subnormal numbers are flushed in one of two
// ways: by the mode of the processor, or by integer operations before and after the operation.
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/x86/machine.h"

namespace heddle::finalizer::x86 {

/// The processor for which a module is compiled, and the mode in which it runs.
struct FloatTarget {
  Level level;
  /// Whether the code runs in the processor's mode for flushing (flush_mode.h).
  bool flush_mode = false;
};

// Each of the next four functions returns the value that replaces the call. `ir` inserts before the call.
llvm::Value* lower_arithmetic(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_narrow(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_flush(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_min_max(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target, bool max);

/// Computes an operation on numbers, or on vectors of them, in a rounding mode other than to nearest. An
/// operation with fewer operands than `x` has ignores the last ones.
llvm::Value* directed(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, llvm::ArrayRef<llvm::Value*> x,
                      const FloatTarget& target);

}  // namespace heddle::finalizer::x86
