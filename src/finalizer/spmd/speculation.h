// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wave may execute for no work-item at all.
#pragma once

#include <vector>

#include <llvm/IR/Dominators.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/block_order.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Reports whether an instruction other than a terminator may be executed with an empty mask. It then has no
/// effect and cannot fault, whatever its operands are.
bool is_speculatable(const llvm::Instruction& instruction);

/// Tells for the blocks of a function whether a wave has to skip what a block dominates if no work-item is
/// there: because that contains something that is not speculatable, or because it costs more than the test
/// of the mask.
class SkippedRegions {
 public:
  SkippedRegions(const BlockOrder& order, const llvm::DominatorTree& dominators, const Shapes& shapes);
  bool must_skip(unsigned block) const { return cost_[block] > largest_cost_; }

 private:
  /// ispc's figure, PREDICATE_SAFE_IF_STATEMENT_COST.
  static constexpr unsigned largest_cost_ = 6;
  static constexpr unsigned unaffordable_ = largest_cost_ + 1;
  static unsigned cost_of(const llvm::Instruction& instruction);
  static unsigned cost_of(const llvm::BasicBlock& block, const Shapes& shapes);

  std::vector<unsigned> cost_;  ///< of what a block dominates, at most `unaffordable_`
};

}  // namespace heddle::finalizer::spmd
