// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/prepare.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "finalizer/analyses.h"
#include "finalizer/spmd/masks.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Function;
using llvm::PHINode;
using llvm::Value;

void fold_constant_branches(Function& function) {
  for (BasicBlock& block : function) llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  llvm::removeUnreachableBlocks(function);
}

bool is_irreducible(Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::ReversePostOrderTraversal<Function*> order(&function);
  return llvm::containsIrreducibleCFG<BasicBlock*>(order, loops);
}

/// Makes natural loops of all cycles. LLVM's pass for this does not support every switch, so all switches
/// become branches first. It also makes wrong phis where one branch leads to two entries of a cycle, which no
/// branch does without critical edges.
void make_reducible(Function& function) {
  Analyses analyses;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::BreakCriticalEdgesPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.run(function, analyses.of_functions());
}

/// Returns the only block that returns, and makes it one if there are several or none.
BasicBlock* unify_returns(Function& function) {
  llvm::SmallVector<BasicBlock*, 4> returning;
  for (BasicBlock& block : function)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) returning.push_back(&block);
  if (returning.size() == 1) return returning.front();
  auto* exit = BasicBlock::Create(function.getContext(), "return", &function);
  llvm::IRBuilder<> ir(exit);
  llvm::Type* type = function.getReturnType();
  PHINode* result = type->isVoidTy() ? nullptr : ir.CreatePHI(type, static_cast<unsigned>(returning.size()));
  for (BasicBlock* block : returning) {
    auto* end = llvm::cast<llvm::ReturnInst>(block->getTerminator());
    if (result) result->addIncoming(end->getReturnValue(), block);
    BranchInst::Create(exit, end->getIterator());
    end->eraseFromParent();
  }
  if (result)
    ir.CreateRet(result);
  else
    ir.CreateRetVoid();
  return exit;
}

/// Adds poison to the phis of a block for a predecessor from which control never comes.
void add_poison(BasicBlock& block, BasicBlock& predecessor) {
  for (PHINode& phi : block.phis()) phi.addIncoming(llvm::PoisonValue::get(phi.getType()), &predecessor);
}

/// One of the two ways on which control leaves a block.
struct BranchSide {
  BasicBlock* branching = nullptr;
  BasicBlock* other = nullptr;  ///< where the other way leads
};

/// Returns the side of a conditional branch on which control gets to the end of a block, if it gets there in
/// one way only.
BranchSide side_of(BasicBlock& end) {
  BasicBlock* first = &end;
  while (BasicBlock* before = first->getUniquePredecessor()) {
    auto* branch = llvm::dyn_cast<BranchInst>(before->getTerminator());
    if (!branch) return {};
    if (branch->isConditional()) return {before, branch->getSuccessor(branch->getSuccessor(0) == first)};
    first = before;
  }
  return {};
}

/// Replaces each `unreachable` by a jump. If it ends one side of a branch, the jump goes to the other side.
/// Then all work-items meet there, so that stopping under rare conditions costs no masks.
void replace_unreachable(Function& function, BasicBlock& exit) {
  llvm::SmallVector<BasicBlock*, 4> stopping;
  for (BasicBlock& block : function)
    if (llvm::isa<llvm::UnreachableInst>(block.getTerminator())) stopping.push_back(&block);
  for (BasicBlock* block : stopping) {
    const BranchSide side = side_of(*block);
    block->getTerminator()->eraseFromParent();
    if (side.branching) {
      for (PHINode& phi : side.other->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(side.branching), block);
    } else {
      add_poison(exit, *block);
    }
    BranchInst::Create(side.branching ? side.other : &exit, block);
  }
}

/// Gives each loop a single latch. LLVM would make nested loops of some loops with several latches, where
/// work-items that `continue` would leave the others behind.
void unify_latches(Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::SmallVector<BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    if (latches.size() > 1) llvm::SplitBlockPredecessors(loop->getHeader(), latches, ".latch");
  }
}

/// Gives each loop without an exit one that is never taken. Nothing can conclude that, because hsail.any is
/// opaque.
void add_exits(Function& function, BasicBlock& exit) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops) {
    if (!loop->hasNoExitBlocks()) continue;
    BasicBlock* header = loop->getHeader();
    BasicBlock* latch = llvm::SplitBlockPredecessors(header, {loop->getLoopLatch()}, ".endless");
    llvm::Instruction* end = latch->getTerminator();
    llvm::IRBuilder<> ir(end);
    ir.CreateCondBr(create_any(ir, ir.getTrue()), header, &exit);
    end->eraseFromParent();
    add_poison(exit, *latch);
  }
}

void simplify_loops(Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : llvm::to_vector(loops))
    llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, /*PreserveLCSSA=*/false);
  llvm::CriticalEdgeSplittingOptions options(&dominators, &loops);
  llvm::SplitAllCriticalEdges(function, options.setMergeIdenticalEdges());
  for (llvm::Loop* loop : loops) llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
}

bool has_critical_edge(const Function& function) {
  for (const BasicBlock& block : function) {
    const llvm::Instruction* end = block.getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
      if (llvm::isCriticalEdge(end, i, /*AllowIdenticalEdges=*/true)) return true;
  }
  return false;
}

}  // namespace

void make_canonical(Function& function) {
  fold_constant_branches(function);
  if (is_irreducible(function)) {
    make_reducible(function);
    fold_constant_branches(function);
  }
  BasicBlock* exit = unify_returns(function);
  replace_unreachable(function, *exit);
  unify_latches(function);
  add_exits(function, *exit);
  // Removes the returning block, if there was none and no loop is endless. llvm::removeUnreachableBlocks()
  // would also make blocks end again behind calls that do not return.
  llvm::EliminateUnreachableBlocks(function);
  simplify_loops(function);
  assert(is_canonical(function) && "the control flow did not get its canonical form");
}

bool is_canonical(Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!loop->isLoopSimplifyForm() || !loop->getLoopLatch()->getSingleSuccessor()) return false;
  if (!llvm::all_of(loops,
                    [&](const llvm::Loop* loop) { return loop->isRecursivelyLCSSAForm(dominators, loops); }))
    return false;
  size_t returns = 0, others = 0;
  for (const BasicBlock& block : function) {
    const llvm::Instruction* end = block.getTerminator();
    returns += llvm::isa<llvm::ReturnInst>(end);
    others += !llvm::isa<llvm::ReturnInst, BranchInst, llvm::SwitchInst>(end);
  }
  return returns == 1 && others == 0 && !has_critical_edge(function) && !is_irreducible(function);
}

// ---- switches

namespace {

using llvm::SwitchInst;

/// Removes a phi's operands for one predecessor except the first, because one edge is left of several.
void keep_one_edge(BasicBlock& block, BasicBlock& predecessor) {
  for (PHINode& phi : block.phis()) {
    bool seen = false;
    phi.removeIncomingValueIf(
        [&](unsigned i) { return phi.getIncomingBlock(i) == &predecessor && std::exchange(seen, true); },
        /*DeletePHIIfEmpty=*/false);
  }
}

/// Returns the targets of a switch other than the default.
llvm::SmallSetVector<BasicBlock*, 8> targets_of(SwitchInst& many) {
  llvm::SmallSetVector<BasicBlock*, 8> targets;
  for (const auto& entry : many.cases()) targets.insert(entry.getCaseSuccessor());
  targets.remove(many.getDefaultDest());
  return targets;
}

/// Replaces a switch by branches: one for each of its targets except the default.
void chain(SwitchInst& many, Shapes& shapes, const llvm::LoopInfo& loops) {
  BasicBlock* const begin = many.getParent();
  // The blocks between the compares are in the loop of the switch only if a way back into it is behind them,
  // and outside of it they must not use the conditions, which are computed in it. So exits come first.
  const auto found = targets_of(many);
  llvm::SmallVector<std::pair<unsigned, size_t>, 8> by_depth;
  for (size_t i = 0; i < found.size(); ++i) by_depth.emplace_back(loops.getLoopDepth(found[i]), i);
  llvm::sort(by_depth);
  llvm::SmallVector<BasicBlock*, 8> targets;
  for (const auto& [depth, i] : by_depth) targets.push_back(found[i]);
  const llvm::IRBuilderCallbackInserter note([&](llvm::Instruction* made) {
    if (!made->getType()->isVoidTy()) shapes.set(*made, Shape::varying());
  });
  llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter> ir(begin->getContext(),
                                                                            llvm::ConstantFolder(), note);
  ir.SetInsertPoint(&many);
  llvm::SmallVector<Value*, 8> conditions;
  for (BasicBlock* target : targets) conditions.push_back(edge_condition(ir, many, *target));
  for (BasicBlock* target : targets) keep_one_edge(*target, *begin);
  keep_one_edge(*many.getDefaultDest(), *begin);
  BasicBlock* current = begin;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool is_last = i + 1 == targets.size();
    BasicBlock* next =
        is_last ? many.getDefaultDest()
                : BasicBlock::Create(begin->getContext(), "case", begin->getParent(), current->getNextNode());
    if (current == begin)
      ir.SetInsertPoint(&many);
    else
      ir.SetInsertPoint(current);
    ir.CreateCondBr(conditions[i], targets[i], next);
    targets[i]->replacePhiUsesWith(begin, current);
    if (is_last) next->replacePhiUsesWith(begin, current);
    current = next;
  }
  if (targets.empty()) BranchInst::Create(many.getDefaultDest(), many.getIterator());
  shapes.erase(many);
  many.eraseFromParent();
}

}  // namespace

void chain_divergent_switches(Function& function, Shapes& shapes) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (BasicBlock& block : llvm::make_early_inc_range(function)) {
    auto* many = llvm::dyn_cast<SwitchInst>(block.getTerminator());
    if (many && shapes.is_divergent(block)) chain(*many, shapes, loops);
  }
}

}  // namespace heddle::finalizer::spmd
