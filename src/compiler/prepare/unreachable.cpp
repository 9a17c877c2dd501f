// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/unreachable.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace heddle::compiler {

namespace {

using Blocks = llvm::DenseSet<llvm::BasicBlock*>;

bool ends_unreachable(const llvm::BasicBlock& block) {
  return llvm::isa<llvm::UnreachableInst>(block.getTerminator());
}

/// Returns whether a block does nothing before it ends.
bool is_empty(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& instruction : block) {
    if (instruction.isTerminator()) return true;
    if (instruction.mayHaveSideEffects() && !llvm::isa<llvm::AssumeInst>(instruction) &&
        !instruction.isLifetimeStartOrEnd())
      return false;
  }
  return true;
}

/// Returns whether a block ends the work-item by itself, which must not go on.
bool ends_work_item(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& instruction) {
    const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_endpgm;
  });
}

/// Returns the blocks from which every way ends `unreachable`.
Blocks doomed_blocks(llvm::Function& function) {
  Blocks doomed;
  llvm::SmallVector<llvm::BasicBlock*, 16> work;
  for (llvm::BasicBlock& block : function)
    if (ends_unreachable(block)) work.push_back(&block);
  while (!work.empty()) {
    llvm::BasicBlock* const block = work.pop_back_val();
    const auto is_doomed = [&](llvm::BasicBlock* next) { return doomed.contains(next); };
    if (!ends_unreachable(*block) && !llvm::all_of(llvm::successors(block), is_doomed)) continue;
    if (!doomed.insert(block).second) continue;
    for (llvm::BasicBlock* const before : llvm::predecessors(block)) work.push_back(before);
  }
  return doomed;
}

/// Returns a successor from which the function may go on, the one that most edges lead to; null if there is
/// none.
llvm::BasicBlock* living_successor(llvm::BasicBlock& block, const Blocks& doomed) {
  // In the order of the successors, so that the result depends on nothing else.
  llvm::SmallMapVector<llvm::BasicBlock*, size_t, 4> edges;
  for (llvm::BasicBlock* const next : llvm::successors(&block))
    if (!doomed.contains(next)) ++edges[next];
  llvm::BasicBlock* best = nullptr;
  size_t most = 0;
  for (const auto& [next, count] : edges) {
    if (count <= most) continue;
    best = next;
    most = count;
  }
  return best;
}

/// Gives the phis of a block the values for another edge from a predecessor that it has.
void repeat_phi_values(llvm::BasicBlock& block, llvm::BasicBlock& known, llvm::BasicBlock& added) {
  for (llvm::PHINode& phi : block.phis()) phi.addIncoming(phi.getIncomingValueForBlock(&known), &added);
}

/// Leads edges to empty blocks that end `unreachable` elsewhere.
void skip_empty_ends(llvm::BasicBlock& block, const Blocks& doomed) {
  llvm::BasicBlock* const instead = living_successor(block, doomed);
  if (instead == nullptr) return;
  bool changed = false;
  llvm::Instruction& end = *block.getTerminator();
  for (unsigned i = 0; i < end.getNumSuccessors(); ++i) {
    llvm::BasicBlock* const next = end.getSuccessor(i);
    if (!ends_unreachable(*next) || !is_empty(*next)) continue;
    next->removePredecessor(&block, true);
    repeat_phi_values(*instead, block, block);
    end.setSuccessor(i, instead);
    changed = true;
  }
  if (changed) llvm::ConstantFoldTerminator(&block, true);
}

void make_unreachable(llvm::BasicBlock& block) {
  for (llvm::BasicBlock* const next : llvm::successors(&block)) next->removePredecessor(&block, true);
  llvm::Instruction* const end = block.getTerminator();
  llvm::IRBuilder<>(end).CreateUnreachable();
  end->eraseFromParent();
}

/// What comes after blocks that are doomed and empty is never reached either. Successors come first, so that
/// a chain of such blocks takes one pass whatever its length. No change makes a block doomed that was not.
void shorten_doomed(llvm::Function& function) {
  const Blocks doomed = doomed_blocks(function);
  const auto is_empty_end = [](llvm::BasicBlock* next) { return ends_unreachable(*next) && is_empty(*next); };
  const auto order = llvm::to_vector(llvm::post_order(&function));  // the loop changes edges
  for (llvm::BasicBlock* const block : order) {
    if (!doomed.contains(block)) {
      skip_empty_ends(*block, doomed);
    } else if (!ends_unreachable(*block) && llvm::all_of(llvm::successors(block), is_empty_end)) {
      make_unreachable(*block);
    }
  }
}

/// Replaces the ends of a block by a branch to what follows its predecessor otherwise.
void go_on(llvm::BasicBlock& end, llvm::BasicBlock& predecessor, llvm::BasicBlock& next) {
  llvm::Instruction* const old = end.getTerminator();
  llvm::IRBuilder<>(old).CreateBr(&next);
  old->eraseFromParent();
  repeat_phi_values(next, predecessor, end);
}

/// Gives a predecessor a copy of a block that ends `unreachable` for itself, since what follows otherwise
/// differs from one predecessor to the other.
llvm::BasicBlock& own_copy(llvm::BasicBlock& block, llvm::BasicBlock& predecessor) {
  if (block.getUniquePredecessor() == &predecessor) return block;
  llvm::ValueToValueMapTy values;
  llvm::BasicBlock* const copy = llvm::CloneBasicBlock(&block, values, "", block.getParent());
  for (llvm::Instruction& instruction : *copy)
    llvm::RemapInstruction(&instruction, values,
                           llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  for (llvm::PHINode& phi : llvm::make_early_inc_range(copy->phis())) {
    phi.replaceAllUsesWith(phi.getIncomingValueForBlock(&predecessor));
    phi.eraseFromParent();
  }
  llvm::Instruction& end = *predecessor.getTerminator();
  for (unsigned i = 0; i < end.getNumSuccessors(); ++i) {
    if (end.getSuccessor(i) != &block) continue;
    block.removePredecessor(&predecessor, true);
    end.setSuccessor(i, copy);
  }
  return *copy;
}

/// Returns the only block that an edge into doomed blocks leads to the end of, through blocks without other
/// predecessors; null if there are several ways.
llvm::BasicBlock* end_of_chain(llvm::BasicBlock& first) {
  llvm::BasicBlock* block = &first;
  for (Blocks seen; !ends_unreachable(*block) && seen.insert(block).second;) {
    llvm::BasicBlock* const next = block->getUniqueSuccessor();
    if (next == nullptr || next->getUniquePredecessor() != block) return nullptr;
    block = next;
  }
  return ends_unreachable(*block) ? block : nullptr;
}

}  // namespace

void join_unreachable(llvm::Function& function) {
  shorten_doomed(function);
  llvm::removeUnreachableBlocks(function);
  const Blocks doomed = doomed_blocks(function);
  llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>, 8> edges;  // into doomed blocks
  for (llvm::BasicBlock& block : function) {
    if (doomed.contains(&block)) continue;
    Blocks seen;
    for (llvm::BasicBlock* const next : llvm::successors(&block))
      if (doomed.contains(next) && seen.insert(next).second) edges.emplace_back(&block, next);
  }
  for (const auto& [predecessor, first] : edges) {
    llvm::BasicBlock* const next = living_successor(*predecessor, doomed);
    if (next == nullptr) continue;
    llvm::BasicBlock* end = nullptr;
    if (ends_unreachable(*first))
      end = &own_copy(*first, *predecessor);
    else if (first->getUniquePredecessor() == predecessor)
      end = end_of_chain(*first);
    if (end != nullptr && !ends_work_item(*end)) go_on(*end, *predecessor, *next);
  }
}

}  // namespace heddle::compiler
