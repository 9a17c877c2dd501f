// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference_shapes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::testing {
namespace {

using finalizer::spmd::Shape;
using finalizer::spmd::Shapes;
using llvm::BasicBlock;
using llvm::Loop;

class Finder {
 public:
  Finder(llvm::Function& function, const llvm::DenseSet<const llvm::Value*>& varying)
      : function_(function), dominators_(function), loops_(dominators_) {
    for (const llvm::Value* value : varying) shapes_.set(*value, Shape::varying());
  }

  Shapes run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Instruction& instruction : llvm::instructions(function_)) {
        if (!shapes_.is_uniform(instruction) || !is_varying(instruction)) continue;
        shapes_.set(instruction, Shape::varying());
        changed = true;
      }
    }
    return std::move(shapes_);
  }

 private:
  bool is_varying(const llvm::Instruction& instruction) const {
    if (instruction.getType()->isVoidTy()) return false;
    if (instruction.mayReadOrWriteMemory()) return true;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
    // What is always the same value is also the same for work-items from different predecessors.
    if (phi && llvm::isa_and_nonnull<llvm::Argument, llvm::Constant>(phi->hasConstantValue()))
      return !shapes_.is_uniform(*phi->getIncomingValue(0));
    return (phi && is_divergent_join(*phi->getParent())) ||
           llvm::any_of(instruction.operands(),
                        [&](const llvm::Value* v) { return !shapes_.is_uniform(*v); });
  }

  /// Reports whether work-items may come to a block from different predecessors.
  bool is_divergent_join(const BasicBlock& block) const {
    const Loop* loop = loops_.getLoopFor(&block);
    if (loop && loop->getHeader() == &block) return false;  // all enter, and all go on, together
    for (const BasicBlock* predecessor : llvm::predecessors(&block))
      for (const Loop* left = loops_.getLoopFor(predecessor); left && !left->contains(&block);
           left = left->getParentLoop())
        if (llvm::any_of(left->blocks(), [&](const BasicBlock* b) { return shapes_.is_divergent(*b); }))
          return true;
    return has_divergent_branch_before(block);
  }

  /// Reports whether there is a divergent branch between the immediate dominator and the block.
  bool has_divergent_branch_before(const BasicBlock& block) const {
    const auto* parent = dominators_.getNode(&block)->getIDom();
    llvm::SmallPtrSet<const BasicBlock*, 8> seen;
    llvm::SmallVector<const BasicBlock*, 8> pending(llvm::predecessors(&block));
    while (!pending.empty()) {
      const BasicBlock* before = pending.pop_back_val();
      if (!seen.insert(before).second) continue;
      if (shapes_.is_divergent(*before)) return true;
      if (before != parent->getBlock()) llvm::append_range(pending, llvm::predecessors(before));
    }
    return false;
  }

  llvm::Function& function_;
  const llvm::DominatorTree dominators_;
  const llvm::LoopInfo loops_;
  Shapes shapes_;
};

}  // namespace

Shapes reference_shapes(llvm::Function& function, const llvm::DenseSet<const llvm::Value*>& varying) {
  return Finder(function, varying).run();
}

}  // namespace heddle::testing
