// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables in memory that stand for values while the control flow around them changes.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// The variables of one function. In the end they become values again.
class Slots {
 public:
  explicit Slots(llvm::Function& function) : function_(function) {}

  /// Creates a variable. It has the value `empty` whenever the wave enters the loop that `home` is in, or
  /// starts another iteration of that loop. The variable is used only in blocks that the wave visits in one
  /// iteration.
  llvm::AllocaInst* create(llvm::Constant& empty, llvm::BasicBlock& home, const llvm::Twine& name);
  /// Creates a variable that each use finds set.
  llvm::AllocaInst* create_carried(llvm::Type* type, const llvm::Twine& name);

  /// Makes values of all variables. `dominators` and `loops` describe the function as it is.
  void promote(llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

 private:
  struct Slot {
    llvm::AllocaInst* variable;
    llvm::Constant* empty;  ///< null for carried variables
    llvm::BasicBlock* home;
  };
  static void add_reset(const Slot& slot, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

  llvm::Function& function_;
  std::vector<Slot> slots_;
};

}  // namespace heddle::finalizer::spmd
