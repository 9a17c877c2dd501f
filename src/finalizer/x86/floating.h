// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target operations on f32 and f64 (lower/target_operations.h), in the two ways in which x86-64 can flush
// subnormal numbers: by the mode of the processor, and by integer operations around others.
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/x86/machine.h"

namespace heddle::finalizer::x86 {

/// The processor for which a module is compiled, and the mode in which it runs.
struct FloatTarget {
  Level level;
  /// The code runs with the processor's mode for flushing (flush_mode.h).
  bool flush_mode = false;
};

// Each of the next four returns the value of the call. The builder stands before the call.
llvm::Value* lower_arithmetic(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_narrow(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_flush(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target);
llvm::Value* lower_min_max(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target, bool max);

/// Computes an operation on scalars in a rounding mode other than to nearest.
llvm::Value* directed(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, llvm::ArrayRef<llvm::Value*> x,
                      const FloatTarget& target);

}  // namespace heddle::finalizer::x86
