// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/control.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::compiler {

namespace {

struct Case {
  llvm::ConstantInt* value;
  llvm::BasicBlock* target;
};

// A phi has one entry for each edge; a block that loses all but one of its edges to another keeps one entry.
class SwitchLowering {
 public:
  explicit SwitchLowering(llvm::SwitchInst& instruction)
      : instruction_(instruction), source_(instruction.getParent()) {}

  void run() {
    for (const auto& one : instruction_.cases())
      cases_.push_back({one.getCaseValue(), one.getCaseSuccessor()});
    std::ranges::sort(
        cases_, [](const Case& a, const Case& b) { return a.value->getValue().ult(b.value->getValue()); });
    drop_phi_entries();
    llvm::IRBuilder<> builder(&instruction_);
    split(builder, 0, cases_.size());
    instruction_.eraseFromParent();
  }

 private:
  void drop_phi_entries() {
    for (const Case& one : cases_) remember(*one.target);
    remember(*instruction_.getDefaultDest());
  }

  // Takes the entries of the switch out of the phis of a target, once; branches put new ones in.
  void remember(llvm::BasicBlock& target) {
    const auto [entries, is_new] = values_.try_emplace(&target);
    if (!is_new) return;
    for (llvm::PHINode& phi : target.phis()) {
      llvm::Value* value = phi.getIncomingValueForBlock(source_);
      phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == source_; }, false);
      entries->second.emplace_back(&phi, value);
    }
  }

  void add_edge(llvm::BasicBlock& from, llvm::BasicBlock& to) {
    for (const auto& [phi, value] : values_.find(&to)->second) phi->addIncoming(value, &from);
  }

  // Branches by the cases from `first` up to `last`, without it.
  void split(llvm::IRBuilder<>& builder, size_t first, size_t last) {
    llvm::BasicBlock& here = *builder.GetInsertBlock();
    llvm::BasicBlock& otherwise = *instruction_.getDefaultDest();
    if (first == last) {
      builder.CreateBr(&otherwise);
      add_edge(here, otherwise);
    } else if (last - first == 1) {
      llvm::Value* equal = builder.CreateICmpEQ(instruction_.getCondition(), cases_[first].value);
      builder.CreateCondBr(equal, cases_[first].target, &otherwise);
      add_edge(here, *cases_[first].target);
      add_edge(here, otherwise);
    } else {
      const size_t middle = first + (last - first) / 2;
      llvm::BasicBlock* low = new_block();
      llvm::BasicBlock* high = new_block();
      builder.CreateCondBr(builder.CreateICmpULT(instruction_.getCondition(), cases_[middle].value), low,
                           high);
      llvm::IRBuilder<> in_low(low);
      in_low.SetCurrentDebugLocation(instruction_.getDebugLoc());
      split(in_low, first, middle);
      llvm::IRBuilder<> in_high(high);
      in_high.SetCurrentDebugLocation(instruction_.getDebugLoc());
      split(in_high, middle, last);
    }
  }

  llvm::BasicBlock* new_block() {
    return llvm::BasicBlock::Create(instruction_.getContext(), "", source_->getParent(),
                                    source_->getNextNode());
  }

  llvm::SwitchInst& instruction_;
  llvm::BasicBlock* source_;
  std::vector<Case> cases_;
  llvm::DenseMap<llvm::BasicBlock*, std::vector<std::pair<llvm::PHINode*, llvm::Value*>>>
      values_;  // of the phis of each target
};

void lower_switches(llvm::Function& function) {
  llvm::SmallVector<llvm::SwitchInst*, 4> sparse;
  for (llvm::BasicBlock& block : function) {
    auto* instruction = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (instruction != nullptr && !dense_cases(*instruction)) sparse.push_back(instruction);
  }
  for (llvm::SwitchInst* instruction : sparse) SwitchLowering(*instruction).run();
}

// Gives copies for phis a block of their own on edges from blocks with several successors.
void split_edges_to_phis(llvm::Function& function) {
  const auto options = llvm::CriticalEdgeSplittingOptions().setMergeIdenticalEdges();
  llvm::SmallVector<llvm::Instruction*, 16> branches;
  for (llvm::BasicBlock& block : function) {
    if (block.getTerminator()->getNumSuccessors() > 1) branches.push_back(block.getTerminator());
  }
  for (llvm::Instruction* branch : branches) {
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
      if (!branch->getSuccessor(i)->phis().empty()) llvm::SplitCriticalEdge(branch, i, options);
    }
  }
}

// A branch on a condition needs a second branch unless the other way leads to the next block. Where it would
// lead there if the condition were the opposite, a comparison that nothing else uses is inverted.
void invert_comparisons(llvm::Function& function) {
  std::vector<llvm::BasicBlock*> order;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    order.push_back(block);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(order[i]->getTerminator());
    if (branch == nullptr || branch->isUnconditional() || branch->getSuccessor(0) != order[i + 1]) continue;
    auto* comparison = llvm::dyn_cast<llvm::CmpInst>(branch->getCondition());
    if (comparison == nullptr || !comparison->hasOneUse()) continue;
    comparison->setPredicate(comparison->getInversePredicate());
    branch->swapSuccessors();
  }
}

}  // namespace

std::optional<CaseRange> dense_cases(const llvm::SwitchInst& instruction) {
  const unsigned width = instruction.getCondition()->getType()->getIntegerBitWidth();
  if (instruction.getNumCases() < 4 || width > 64) return std::nullopt;
  uint64_t lowest = ~uint64_t{0};
  uint64_t highest = 0;
  for (const auto& one : instruction.cases()) {
    const uint64_t value = one.getCaseValue()->getZExtValue();
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  const uint64_t span = highest - lowest;
  if (span / 3 >= instruction.getNumCases()) return std::nullopt;
  return CaseRange{lowest, span + 1};
}

void simplify_control(llvm::Function& function) {
  lower_switches(function);
  split_edges_to_phis(function);
  for (llvm::BasicBlock& block : function) {
    // A single predecessor with other successors has no place for copies, and needs none.
    if (!block.phis().empty() && block.phis().begin()->getNumIncomingValues() == 1)
      llvm::FoldSingleEntryPHINodes(&block);
  }
  invert_comparisons(function);
}

}  // namespace heddle::compiler
