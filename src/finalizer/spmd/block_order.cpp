// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/block_order.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

/// A block, or a whole loop, which its header stands for. A header by itself is a block inside the loop.
struct Node {
  BasicBlock* block;
  const Loop* loop = nullptr;  ///< null for a single block
};

/// The dominator trees of the regions of a function. A region is the function or a loop; its nodes are those
/// of its blocks that are in no loop inside, and the loops inside.
class RegionTrees {
 public:
  RegionTrees(llvm::Function& function, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops)
      : dominators_(dominators), loops_(loops) {
    // In this order, a block of one child's subtree never leads to a child with a smaller number.
    for (BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
      if (block != &function.getEntryBlock()) add(*block);
  }

  llvm::ArrayRef<Node> children(const Node& node) const {
    const auto& all = node.loop ? children_of_loops_ : children_of_blocks_;
    const auto found = all.find(node.block);
    return found == all.end() ? llvm::ArrayRef<Node>() : found->second;
  }

 private:
  void add(BasicBlock& block) {
    const Loop* loop = loops_.getLoopFor(&block);
    const bool is_header = loop && loop->getHeader() == &block;
    const Loop* region = is_header ? loop->getParentLoop() : loop;
    BasicBlock* dominator = dominators_.getNode(&block)->getIDom()->getBlock();
    const Loop* around = loops_.getLoopFor(dominator);
    const bool in_inner_loop = around != region;
    while (around != region && around->getParentLoop() != region) around = around->getParentLoop();
    auto& siblings = in_inner_loop ? children_of_loops_[around->getHeader()] : children_of_blocks_[dominator];
    siblings.push_back({&block, is_header ? loop : nullptr});
  }

  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const BasicBlock*, llvm::SmallVector<Node, 2>> children_of_blocks_;
  llvm::DenseMap<const BasicBlock*, llvm::SmallVector<Node, 2>> children_of_loops_;
};

}  // namespace

BlockOrder::BlockOrder(llvm::Function& function, const llvm::DominatorTree& dominators,
                       const llvm::LoopInfo& loops) {
  const RegionTrees trees(function, dominators, loops);
  llvm::SmallVector<Node, 32> pending = {{&function.getEntryBlock()}};
  while (!pending.empty()) {
    const Node node = pending.pop_back_val();
    const auto children = trees.children(node);
    pending.append(children.rbegin(), children.rend());
    if (node.loop) {
      pending.push_back({node.block});
    } else {
      indices_[node.block] = size();
      blocks_.push_back(node.block);
    }
  }
}

}  // namespace heddle::finalizer::spmd
