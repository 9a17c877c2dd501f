// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/post_dominators.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;

/// Returns the blocks from which `last` is reached, each before those that lead to it on a first visit: the
/// reverse postorder of the graph with all edges turned round.
std::vector<BasicBlock*> leading_to(BasicBlock* last) {
  std::vector<BasicBlock*> postorder;
  llvm::SmallPtrSet<BasicBlock*, 16> seen = {last};
  llvm::SmallVector<std::pair<BasicBlock*, llvm::pred_iterator>, 16> path = {{last, llvm::pred_begin(last)}};
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == llvm::pred_end(block)) {
      postorder.push_back(block);
      path.pop_back();
      continue;
    }
    BasicBlock* before = *next++;
    if (seen.insert(before).second) path.emplace_back(before, llvm::pred_begin(before));
  }
  std::reverse(postorder.begin(), postorder.end());
  return postorder;
}

BasicBlock* returning_block(llvm::Function& function) {
  BasicBlock* found = nullptr;
  for (BasicBlock& block : function) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
    assert(!found && "the function returns in one place");
    found = &block;
  }
  return found;
}

}  // namespace

/// The algorithm of Cooper, Harvey and Kennedy, on the graph with all edges turned round.
PostDominators::PostDominators(llvm::Function& function) {
  BasicBlock* last = returning_block(function);
  if (!last) return;
  const std::vector<BasicBlock*> order = leading_to(last);
  for (unsigned i = 0; i < order.size(); ++i) nodes_[order[i]].order = i;
  nodes_[last].next = last;
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : llvm::drop_begin(order)) {
      BasicBlock* found = nullptr;
      for (BasicBlock* successor : llvm::successors(block)) {
        const auto node = nodes_.find(successor);
        if (node == nodes_.end() || !node->second.next) continue;
        found = found ? meet(found, successor) : successor;
      }
      assert(found && "one of the successors has been visited");
      changed = changed || nodes_[block].next != found;
      nodes_[block].next = found;
    }
  }
}

BasicBlock* PostDominators::meet(BasicBlock* a, BasicBlock* b) const {
  while (a != b) {
    while (nodes_.at(a).order > nodes_.at(b).order) a = nodes_.at(a).next;
    while (nodes_.at(b).order > nodes_.at(a).order) b = nodes_.at(b).next;
  }
  return a;
}

BasicBlock* PostDominators::immediate(BasicBlock* block) const {
  const auto node = nodes_.find(block);
  return node == nodes_.end() || node->second.next == block ? nullptr : node->second.next;
}

}  // namespace heddle::finalizer::ptx
