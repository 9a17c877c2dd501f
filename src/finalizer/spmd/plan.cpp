// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/plan.h"

#include <llvm/ADT/SetVector.h>

#include "finalizer/spmd/equivalence.h"
#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

/// The dominator tree of the planned control flow, which grows with the plan. Each block has two nodes: the
/// place before it where its mask may be tested, and the block itself. A node's number is greater than those
/// of its predecessors, except that of a latch.
class PlannedDominators {
 public:
  explicit PlannedDominators(unsigned blocks) : parent_(2 * static_cast<size_t>(blocks), none) {}

  static unsigned test(unsigned block) { return 2 * block; }
  static unsigned body(unsigned block) { return 2 * block + 1; }

  void add_edge(unsigned from, unsigned block) {
    unsigned& parent = parent_[test(block)];
    parent = parent == none ? from : common(parent, from);
    parent_[body(block)] = test(block);
  }
  bool is_reached(unsigned block) const { return parent_[test(block)] != none; }
  bool dominates(unsigned above, unsigned below) const {
    unsigned node = test(below);
    while (node != none && node > body(above)) node = parent_[node];
    return node == body(above);
  }

 private:
  static constexpr unsigned none = ~0u;

  unsigned common(unsigned a, unsigned b) const {
    while (a != b) (a > b ? a : b) = parent_[std::max(a, b)];
    return a;
  }

  std::vector<unsigned> parent_;
};

}  // namespace

/// Visits the blocks in order and decides for each one how the wave goes on. If it turns out that a loop is
/// divergent that was not known to be, the plan is of no use and another one has to be made.
class Planner {
 public:
  Planner(Plan& plan, const BlockOrder& order, const Shapes& shapes, const Equivalence& equivalence,
          const SkippedRegions& regions)
      : order_(order),
        shapes_(shapes),
        equivalence_(equivalence),
        regions_(regions),
        blocks_(plan.blocks_),
        loops_(plan.loops_),
        dominators_(order.size()),
        deferred_(order.size()),
        comes_from_(order.size()) {
    blocks_.assign(order.size(), {});
  }

  /// Reports whether the plan is complete.
  bool run() {
    for (unsigned i = 0; i < order_.size(); ++i) visit(i);
    if (found_divergent_) return false;
    for (unsigned i = 0; i < order_.size(); ++i) blocks_[i].keeps_phis = keeps_phis(i);
    return true;
  }

 private:
  using Dominators = PlannedDominators;

  void visit(unsigned i) {
    // While divergent loops are still unknown, the wave seems to lose blocks behind their exits.
    if (i != 0 && !dominators_.is_reached(i)) {
      assert(found_divergent_ && "the wave never visits a block");
      return;
    }
    const Loop* headed = loops_.headed_by(i);
    if (headed && loops_.is_divergent(*headed)) deferred_[i].merge(loops_.waiting_exits(*headed));
    find_work_items(i);
    find_ways(i);
  }

  /// Goes to the first of `waiting`, and defers the others. Returns the first. `from` is a node of the
  /// planned dominators.
  unsigned go(unsigned from, BlockSet waiting) {
    assert(!waiting.empty());
    const unsigned next = *waiting.begin();
    waiting.erase(waiting.begin());
    deferred_[next].merge(waiting);
    dominators_.add_edge(from, next);
    comes_from_[next].insert(from);
    return next;
  }

  // ---- masks

  /// Returns the block that the region of a block begins with, if none of the region's work-items waits
  /// elsewhere.
  std::optional<unsigned> region_with_all(unsigned i) const {
    const Loop* loop = loops_.of(i);
    if (!loop) return deferred_[i].empty() && i != 0 ? std::optional(0u) : std::nullopt;
    if (loops_.is_divergent(*loop)) return {};
    const bool all_here = deferred_[i].empty() || *deferred_[i].begin() > order_.last(*loop);
    return all_here ? std::optional(order_[*loop->getHeader()]) : std::nullopt;
  }

  std::optional<unsigned> same_mask(unsigned i) const {
    if (const Loop* loop = loops_.headed_by(i)) {
      if (loops_.is_divergent(*loop)) return {};
      return order_[*loop->getLoopPreheader()];
    }
    if (auto begin = region_with_all(i)) return begin;
    if (const BasicBlock* only = order_[i].getUniquePredecessor()) {
      const PlannedBlock& before = blocks_[order_[*only]];
      const bool is_direct = llvm::any_of(
          before.edges, [&](const auto& edge) { return edge.successor == i && edge.target == i; });
      if (is_direct && !before.is_folded) return order_[*only];
    }
    const auto equivalent = equivalence_.dominator_of(i);
    return equivalent && dominators_.dominates(*equivalent, i) ? equivalent : std::nullopt;
  }

  void find_work_items(unsigned i) {
    PlannedBlock& block = blocks_[i];
    block.same_mask_as = same_mask(i);
    if (block.same_mask_as) {
      assert((dominators_.dominates(*block.same_mask_as, i) || found_divergent_) && "the mask is not known");
      block.has_work_items = blocks_[*block.same_mask_as].has_work_items;
    } else if (const Loop* loop = loops_.headed_by(i)) {
      block.has_work_items = blocks_[order_[*loop->getLoopPreheader()]].has_work_items;
    } else {
      block.has_work_items = i == 0;
    }
    if (block.has_work_items || !regions_.must_skip(i)) return;
    block.has_work_items = true;
    // If nobody waits elsewhere, all work-items are here.
    if (deferred_[i].empty()) return;
    block.skip_to = go(Dominators::test(i), deferred_[i]);
  }

  // ---- the way behind a block

  void find_ways(unsigned i) {
    PlannedBlock& block = blocks_[i];
    llvm::SmallSetVector<unsigned, 4> successors;
    for (const BasicBlock* successor : llvm::successors(&order_[i])) successors.insert(order_[*successor]);
    if (successors.empty()) {
      assert((deferred_[i].empty() || found_divergent_) && "work-items wait behind the end");
      return;
    }
    if (successors.front() <= i) {
      block.edges.push_back({successors.front(), successors.front()});
      leave_loop(i);
      return;
    }
    block.is_folded = shapes_.is_divergent(order_[i]) || llvm::any_of(successors, [&](unsigned successor) {
                        return loops_.leaves_divergent(i, successor) && !leaves_with_all(i, successor);
                      });
    if (block.is_folded) {
      BlockSet waiting = deferred_[i];
      waiting.insert(successors.begin(), successors.end());
      const unsigned next = go(Dominators::body(i), std::move(waiting));
      for (const unsigned successor : successors) add_edge(i, successor, next);
    } else {
      for (const unsigned successor : successors) {
        BlockSet waiting = deferred_[i];
        waiting.insert(successor);
        add_edge(i, successor, go(Dominators::body(i), std::move(waiting)));
      }
    }
  }

  /// Reports whether a uniform branch that leaves a divergent loop takes all work-items along that are left
  /// in the loops that it leaves.
  bool leaves_with_all(unsigned i, unsigned exit) {
    if (!loops_.is_waiting(exit) && blocks_[i].has_work_items && all_are_in(i, exit)) return true;
    found_divergent_ |= loops_.make_waiting(exit);
    return false;
  }

  /// Reports whether no work-item waits in the loops that an edge leaves.
  bool all_are_in(unsigned i, unsigned exit) const {
    const Loop* left = loops_.of(i);
    while (left->getParentLoop() && !left->getParentLoop()->contains(&order_[exit]))
      left = left->getParentLoop();
    return deferred_[i].empty() || *deferred_[i].begin() > order_.last(*left);
  }

  void add_edge(unsigned i, unsigned successor, unsigned target) {
    blocks_[i].edges.push_back({successor, target});
    if (blocks_[i].is_folded && loops_.leaves_divergent(i, successor))
      found_divergent_ |= loops_.make_waiting(successor);
    // Only a wave that leaves a loop at once, with all work-items, leaves it as the original function does.
    if (blocks_[i].is_folded || target != successor) found_divergent_ |= loops_.make_divergent(i, successor);
  }

  void leave_loop(unsigned latch) {
    const Loop* loop = loops_.of(latch);
    if (!loops_.is_divergent(*loop) || blocks_[latch].has_work_items) return;
    if (deferred_[latch].empty()) {
      assert(found_divergent_ && "nobody has left a divergent loop");
      return;
    }
    blocks_[latch].after_loop = go(Dominators::body(latch), deferred_[latch]);
  }

  // ---- phis

  bool keeps_phis(unsigned i) const {
    if (loops_.headed_by(i)) return true;
    if (blocks_[i].skip_to) return false;
    BlockSet original;
    bool are_direct = true;
    for (const BasicBlock* predecessor : llvm::predecessors(&order_[i])) {
      const unsigned p = order_[*predecessor];
      original.insert(Dominators::body(p));
      are_direct &= !blocks_[p].is_folded;
    }
    const bool has_single_edge = llvm::hasSingleElement(llvm::predecessors(&order_[i]));
    return original == comes_from_[i] && (are_direct || has_single_edge);
  }

  const BlockOrder& order_;
  const Shapes& shapes_;
  const Equivalence& equivalence_;
  const SkippedRegions& regions_;
  std::vector<PlannedBlock>& blocks_;
  WaveLoops& loops_;
  Dominators dominators_;
  std::vector<BlockSet> deferred_;    ///< the blocks that the wave has yet to visit when it visits a block
  std::vector<BlockSet> comes_from_;  ///< nodes of `dominators_`
  bool found_divergent_ = false;
};

Plan::Plan(const BlockOrder& order, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops,
           const Shapes& shapes)
    : loops_(loops, order) {
  const Equivalence equivalence(order, dominators, loops);
  const SkippedRegions regions(order, dominators, shapes);
  while (!Planner(*this, order, shapes, equivalence, regions).run()) {
  }
}

}  // namespace heddle::finalizer::spmd
