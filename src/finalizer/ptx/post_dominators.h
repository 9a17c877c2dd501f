// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::ptx {

/// Finds the immediate post-dominators of the blocks of a function: where work-items that a branch has parted
/// meet again (PRM 2.12). Blocks from which no return is reached do not count, because work-items that come
/// there never meet others again: they trap, or they loop for ever. LLVM's own tree lets such a block hide
/// that all others meet.
class PostDominators {
 public:
  /// The function has one block that returns.
  explicit PostDominators(llvm::Function& function);

  /// Returns null for the block that returns and for blocks from which it is not reached.
  llvm::BasicBlock* immediate(llvm::BasicBlock* block) const;

 private:
  struct Node {
    unsigned order = 0;                ///< position in the order of visits, which begins at the return
    llvm::BasicBlock* next = nullptr;  ///< immediate post-dominator; that of the return is itself
  };
  llvm::BasicBlock* meet(llvm::BasicBlock* a, llvm::BasicBlock* b) const;

  llvm::DenseMap<llvm::BasicBlock*, Node> nodes_;
};

}  // namespace heddle::finalizer::ptx
