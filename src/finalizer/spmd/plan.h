// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how a wave goes through a function: partial control-flow linearisation, after Moll and Hack
// ("Partial Control-Flow Linearization", PLDI 2018).
#pragma once

#include <optional>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/block_order.h"
#include "finalizer/spmd/loops.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// How a wave goes on behind a block, and what is known of the work-items in it. Blocks are numbers in the
/// BlockOrder.
struct PlannedBlock {
  /// A successor of the block in the original function, and where the wave goes instead: there, or to a block
  /// before it in the order where other work-items wait. `target` is `successor` for edges to headers.
  struct Edge {
    unsigned successor;
    unsigned target;
  };
  llvm::SmallVector<Edge, 2> edges;
  /// Whether the wave does not branch here although the block has several successors. All edges then have the
  /// same target.
  bool is_folded = false;
  /// Where the wave goes from the latch of a divergent loop if no work-item is left in the loop. Not set if
  /// that cannot be.
  std::optional<unsigned> after_loop;
  /// Where the wave goes instead of to this block if no work-item is to execute the block. If it is set, the
  /// mask of the block is tested before the block.
  std::optional<unsigned> skip_to;
  /// An earlier block that exactly the same work-items execute. The wave has been there.
  std::optional<unsigned> same_mask_as;
  /// Whether at least one work-item executes the block whenever the wave does.
  bool has_work_items = false;
  /// Whether the wave comes from the original predecessors, from each of them directly, and from nowhere
  /// else, so that phis of the block may stay.
  bool keeps_phis = false;
};

/// The way of a wave through a function in canonical form without divergent switches.
///
/// Where work-items take different ways, the wave visits the blocks of all of them in the BlockOrder. Blocks
/// to be visited later are deferred. A uniform branch remains a branch. On each of its ways the same blocks
/// stay deferred, so that the wave visits them on both.
class Plan {
 public:
  Plan(const BlockOrder& order, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops,
       const Shapes& shapes);

  const PlannedBlock& operator[](unsigned block) const { return blocks_[block]; }
  const WaveLoops& loops() const { return loops_; }

 private:
  friend class Planner;

  std::vector<PlannedBlock> blocks_;
  WaveLoops loops_;
};

}  // namespace heddle::finalizer::spmd
