// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that the work-items of a wave leave at different times.
#pragma once

#include <set>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/block_order.h"

namespace heddle::finalizer::spmd {

/// Numbers of blocks (BlockOrder), ascending.
using BlockSet = std::set<unsigned>;

/// The loops of a function in canonical form, and which of them are divergent. A wave leaves a divergent loop
/// only when no work-item is left in it. The work-items that take an exit wait until then in the block behind
/// the exit. If all work-items that are left in the loop take the same exit, the wave leaves with them: it
/// need not wait, because nobody stays behind.
class WaveLoops {
 public:
  WaveLoops(const llvm::LoopInfo& loops, const BlockOrder& order) : loops_(loops), order_(order) {}

  const llvm::Loop* of(unsigned block) const { return loops_.getLoopFor(&order_[block]); }
  bool is_divergent(const llvm::Loop& loop) const { return divergent_.contains(&loop); }
  /// Makes the loops that an edge leaves divergent. Reports whether this is new for some of them.
  bool make_divergent(unsigned from, unsigned to);
  /// Reports whether an edge leaves a divergent loop.
  bool leaves_divergent(unsigned from, unsigned to) const;
  /// Makes the work-items that take an exit wait behind it, although the branch is uniform. Reports whether
  /// this is new.
  bool make_waiting(unsigned exit) { return waiting_.insert(exit).second; }
  bool is_waiting(unsigned exit) const { return waiting_.contains(exit); }
  /// Returns the loop whose header a block is, or null.
  const llvm::Loop* headed_by(unsigned block) const;
  /// Returns the blocks behind the exits of a loop in which work-items wait.
  BlockSet waiting_exits(const llvm::Loop& loop) const;

 private:
  const llvm::LoopInfo& loops_;
  const BlockOrder& order_;
  llvm::SmallPtrSet<const llvm::Loop*, 8> divergent_;
  BlockSet waiting_;
};

}  // namespace heddle::finalizer::spmd
