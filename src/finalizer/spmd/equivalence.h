// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that the same work-items execute.
#pragma once

#include <optional>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/block_order.h"

namespace heddle::finalizer::spmd {

/// Finds for blocks a dominator that is executed by the same work-items, in the same iteration of the loop
/// that both are in.
class Equivalence {
 public:
  Equivalence(const BlockOrder& order, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);
  std::optional<unsigned> dominator_of(unsigned block) const { return dominator_[block]; }

 private:
  void find_post_dominators(const llvm::LoopInfo& loops);
  unsigned common_post_dominator(unsigned a, unsigned b) const;
  bool post_dominates(unsigned a, unsigned b) const;

  const BlockOrder& order_;
  /// The next post-dominator of each block, where an edge back to the header of a loop counts as one to each
  /// block behind an exit of the loop: sooner or later the work-item is there. The last block has itself.
  std::vector<unsigned> post_dominator_;
  std::vector<std::optional<unsigned>> dominator_;
};

}  // namespace heddle::finalizer::spmd
