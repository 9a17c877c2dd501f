// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where work-items that parted meet again. LLVM has such an analysis, too, but up to LLVM 22 that one misses
// joins behind loops that work-items leave on several ways.
#pragma once

#include <llvm/Analysis/CycleAnalysis.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Answers for one function what follows if the work-items of a wave part at some place. All cycles of the
/// function are reducible.
///
/// The work-items of a wave are taken to run in lock-step: those that execute a block in equal iterations of
/// the cycles around it execute it together, and those that left a cycle wait until all have left it.
class SyncDependence {
 public:
  /// What follows if work-items part.
  struct Effect {
    /// Blocks in which those that parted may arrive together, but from different predecessors. Phis there
    /// choose by work-item.
    llvm::SmallVector<const llvm::BasicBlock*, 4> joins;
    /// Whether some may go on to the next iteration of the innermost cycle around the place while others have
    /// left the cycle.
    bool parts_cycle = false;
  };

  SyncDependence(const llvm::Function& function, const llvm::CycleInfo& cycles);

  /// Returns the effect of work-items going to different successors of a block.
  Effect after_branch(const llvm::BasicBlock& block) const;
  /// Returns the effect of work-items leaving a cycle in different iterations.
  Effect after_cycle(const llvm::Cycle& cycle) const;

 private:
  struct Walk;
  void push(Walk& walk, const llvm::BasicBlock& to, unsigned label) const;
  void push_from(Walk& walk, unsigned place, unsigned label) const;
  Effect run(Walk& walk) const;

  using Edges = llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 2>;
  static Edges exits_of(const llvm::Cycle& cycle);

  const llvm::CycleInfo& cycles_;
  llvm::SmallVector<const llvm::BasicBlock*, 0> order_;  // each block comes after its predecessors, except
                                                         // those inside of the cycle that it is the header of
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> place_;  // in order_
  llvm::DenseMap<const llvm::Cycle*, Edges> exits_;          // from inside to outside, each once
};

}  // namespace heddle::finalizer::spmd
