// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/equivalence.h"

namespace heddle::finalizer::spmd {

using llvm::BasicBlock;
using llvm::Loop;

unsigned Equivalence::common_post_dominator(unsigned a, unsigned b) const {
  while (a != b) (a < b ? a : b) = post_dominator_[std::min(a, b)];
  return a;
}

bool Equivalence::post_dominates(unsigned a, unsigned b) const {
  while (b < a) b = post_dominator_[b];
  return a == b;
}

void Equivalence::find_post_dominators(const llvm::LoopInfo& loops) {
  constexpr unsigned none = ~0u;
  post_dominator_.assign(order_.size(), none);
  for (unsigned i = order_.size(); i-- > 0;) {
    const auto meet = [&](const BasicBlock* next) {
      const unsigned n = order_[*next];
      post_dominator_[i] = post_dominator_[i] == none ? n : common_post_dominator(post_dominator_[i], n);
    };
    for (const BasicBlock* successor : llvm::successors(&order_[i])) {
      if (order_[*successor] > i) {
        meet(successor);
        continue;
      }
      llvm::SmallVector<BasicBlock*, 8> exits;
      loops.getLoopFor(successor)->getUniqueExitBlocks(exits);
      for (const BasicBlock* exit : exits) meet(exit);
    }
    assert((post_dominator_[i] != none || i + 1 == order_.size()) && "only the last block returns");
  }
  post_dominator_.back() = order_.size() - 1;
}

Equivalence::Equivalence(const BlockOrder& order, const llvm::DominatorTree& dominators,
                         const llvm::LoopInfo& loops)
    : order_(order), dominator_(order.size()) {
  find_post_dominators(loops);
  for (unsigned i = 1; i < order.size(); ++i) {
    const Loop* region = loops.getLoopFor(&order[i]);
    if (region && region->getHeader() == &order[i]) continue;
    const BasicBlock* dominator = dominators.getNode(&order[i])->getIDom()->getBlock();
    // Behind an exit, the next dominator outside of the loop is its preheader.
    for (const Loop* loop = loops.getLoopFor(dominator); loop != region; loop = loop->getParentLoop())
      dominator = loop->getLoopPreheader();
    const unsigned d = order[*dominator];
    if (post_dominates(i, d)) dominator_[i] = d;
  }
}

}  // namespace heddle::finalizer::spmd
