// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a wave visits the blocks of a function that it does not skip.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Numbers the blocks of a function in canonical form, so that
/// - each edge except those from latches to headers leads to a greater number (the order is topological),
/// - the blocks of a loop have consecutive numbers,
/// - the blocks of each innermost loop, or of no loop, that a block dominates follow it without a block of
/// that
///   loop in between that it does not dominate.
/// The last point lets a wave finish one side of a divergent branch before it visits the other.
class BlockOrder {
 public:
  BlockOrder(llvm::Function& function, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

  unsigned size() const { return static_cast<unsigned>(blocks_.size()); }
  llvm::BasicBlock& operator[](unsigned index) const { return *blocks_[index]; }
  unsigned operator[](const llvm::BasicBlock& block) const { return indices_.at(&block); }
  /// Returns the number of the last block of a loop, which is its latch; the first one is its header.
  unsigned last(const llvm::Loop& loop) const { return (*this)[*loop.getLoopLatch()]; }

 private:
  std::vector<llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> indices_;
};

}  // namespace heddle::finalizer::spmd
