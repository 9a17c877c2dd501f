// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks: which work-items of a wave execute an instruction. In SPMD IR a mask is an i1, which tells whether
// the work-item is one of them.
#pragma once

#include <llvm/IR/ValueHandle.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Makes a call of `i1 hsail.any(i1)`, which tells whether its operand is true for some work-item of the
/// wave, also for those that do not execute the call. It is convergent, and it has no known result, so that
/// no pass takes the operand for true where the result is.
llvm::CallInst* create_any(llvm::IRBuilderBase& ir, llvm::Value* mask);

/// Returns the operand of a call of hsail.any, or null for other values.
llvm::Value* tested_mask(const llvm::Value& value);

/// Returns the condition under which a terminator goes to a successor. Null means that it always does.
/// Creates instructions if no existing value is the condition.
llvm::Value* edge_condition(llvm::IRBuilderBase& ir, llvm::Instruction& terminator,
                            const llvm::BasicBlock& successor);

/// Returns the mask of those work-items of `mask` for which the condition is true. It is a `select` rather
/// than an `and`, because the condition may be poison for the others.
llvm::Value* create_restriction(llvm::IRBuilderBase& ir, llvm::Value* mask, llvm::Value* condition);

/// The masks of a function. Each instruction has the mask of its block, unless it has been given another,
/// narrower one. Masks may be replaced by other values (replaceAllUsesWith) as long as the map exists.
class MaskMap {
 public:
  void set(const llvm::BasicBlock& block, llvm::Value& mask) { blocks_[&block] = &mask; }
  /// Gives an instruction another mask, which must imply that of its block.
  void narrow(const llvm::Instruction& instruction, llvm::Value& mask) {
    instructions_[&instruction] = &mask;
  }

  /// Returns null for unknown blocks.
  llvm::Value* of(const llvm::BasicBlock& block) const { return blocks_.lookup(&block); }
  llvm::Value* of(const llvm::Instruction& instruction) const {
    llvm::Value* narrowed = instructions_.lookup(&instruction);
    return narrowed ? narrowed : of(*instruction.getParent());
  }

 private:
  llvm::DenseMap<const llvm::BasicBlock*, llvm::WeakTrackingVH> blocks_;
  llvm::DenseMap<const llvm::Instruction*, llvm::WeakTrackingVH> instructions_;
};

}  // namespace heddle::finalizer::spmd
