// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/sync_dependence.h"

#include <cassert>
#include <set>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/CFG.h>

namespace heddle::finalizer::spmd {

using llvm::BasicBlock;
using llvm::Cycle;

/// Follows the work-items from the place where they part. The ways that they take first have different
/// labels. A block gets the label of the ways that lead to it, or, if those have different ones, becomes a
/// join and gets a label of its own. Thus two blocks have different labels if work-items can come to both at
/// once.
///
/// Only one iteration of the innermost cycle around the place is looked at, `around`. The walk ends at its
/// header and at its exits. Cycles inside it are passed as if they were blocks, since work-items that enter
/// one together also leave it together; if not, that is another place where they part.
struct SyncDependence::Walk {
  const Cycle* around = nullptr;
  Effect effect;
  std::set<unsigned> pending;                       // places of blocks that wait to be passed
  llvm::DenseMap<unsigned, unsigned> labels;        // by place
  llvm::SmallSet<unsigned, 4> continuing, leaving;  // labels at the header and at the exits of `around`
};

SyncDependence::SyncDependence(const llvm::Function& function, const llvm::CycleInfo& cycles)
    : cycles_(cycles) {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  for (const BasicBlock* block : order) {
    place_[block] = static_cast<unsigned>(order_.size());
    order_.push_back(block);
    for (const Cycle* cycle = cycles.getCycle(block); cycle; cycle = cycle->getParentCycle())
      if (cycle->getHeader() == block) exits_[cycle] = exits_of(*cycle);
  }
}

SyncDependence::Edges SyncDependence::exits_of(const Cycle& cycle) {
  Edges edges;
  for (const BasicBlock* block : cycle.blocks()) {
    llvm::SmallPtrSet<const BasicBlock*, 4> seen;
    for (const BasicBlock* next : llvm::successors(block))
      if (!cycle.contains(next) && seen.insert(next).second) edges.emplace_back(block, next);
  }
  return edges;
}

void SyncDependence::push(Walk& walk, const BasicBlock& to, unsigned label) const {
  if (walk.around && !walk.around->contains(&to)) {
    walk.leaving.insert(label);
    return;
  }
  if (walk.around && walk.around->getHeader() == &to) {
    walk.continuing.insert(label);
    return;
  }
  const unsigned place = place_.lookup(&to);
  const auto [entry, is_new] = walk.labels.try_emplace(place, label);
  if (is_new) {
    walk.pending.insert(place);
  } else if (entry->second != label && entry->second != place) {
    assert(walk.pending.contains(place) && "a block is passed after all of its predecessors");
    entry->second = place;
    walk.effect.joins.push_back(&to);
  }
}

/// Passes a block or, if it is the header of a cycle in the one that is walked in, the whole of that cycle.
void SyncDependence::push_from(Walk& walk, unsigned place, unsigned label) const {
  const BasicBlock* block = order_[place];
  const Cycle* inner = cycles_.getCycle(block);
  if (inner == walk.around) {
    for (const BasicBlock* next : llvm::successors(block)) push(walk, *next, label);
    return;
  }
  while (inner->getParentCycle() != walk.around) inner = inner->getParentCycle();
  assert(inner->isReducible() && inner->getHeader() == block && "cycles are entered at their headers");
  for (const auto& [from, to] : exits_.find(inner)->second) push(walk, *to, label);
}

SyncDependence::Effect SyncDependence::run(Walk& walk) const {
  while (!walk.pending.empty()) {
    const unsigned place = *walk.pending.begin();
    walk.pending.erase(walk.pending.begin());
    // If all have met and none has gone elsewhere, nothing more can follow.
    if (walk.pending.empty() && walk.leaving.empty() && walk.continuing.empty()) break;
    push_from(walk, place, walk.labels.lookup(place));
  }
  if (walk.continuing.size() > 1) walk.effect.joins.push_back(walk.around->getHeader());
  const auto differ = [&](unsigned label) {
    return walk.leaving.size() > 1 || !walk.leaving.contains(label);
  };
  walk.effect.parts_cycle = !walk.leaving.empty() && llvm::any_of(walk.continuing, differ);
  return std::move(walk.effect);
}

SyncDependence::Effect SyncDependence::after_branch(const BasicBlock& block) const {
  Walk walk;
  walk.around = cycles_.getCycle(&block);
  const llvm::SmallPtrSet<const BasicBlock*, 4> targets(llvm::from_range, llvm::successors(&block));
  // Labels of joins are places, so those of ways come after them.
  auto label = static_cast<unsigned>(order_.size());
  if (targets.size() > 1)
    for (const BasicBlock* target : targets) push(walk, *target, label++);
  return run(walk);
}

SyncDependence::Effect SyncDependence::after_cycle(const Cycle& cycle) const {
  Walk walk;
  walk.around = cycle.getParentCycle();
  auto label = static_cast<unsigned>(order_.size());
  for (const auto& [from, to] : exits_.find(&cycle)->second) push(walk, *to, label++);
  return run(walk);
}

}  // namespace heddle::finalizer::spmd
