// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/turns.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Coroutines/CoroInstr.h>

namespace heddle::finalizer::x86 {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// A turn lasts this many iterations: enough to make up for the switch to the next wave, and so few that the
/// lines they touch stay in the fastest cache even if all belong to the same set of it, as with strides that
/// are powers of 2.
constexpr unsigned iterations_of_turn = 8;

/// From this many bytes on between two iterations, nothing fetches ahead of a wave, because prefetchers do
/// not follow beyond pages.
constexpr uint64_t far = 1024;

/// Loops with more LLVM instructions compute more than they wait for memory.
constexpr size_t largest_loop = 200;

constexpr unsigned global_space = 1;

/// Returns the address of consecutive lanes in global memory that an instruction loads from, or null.
Value* loaded_row(llvm::Instruction& instruction) {
  Value* address = nullptr;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->getType()->isVectorTy())
    address = load->getPointerOperand();
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      call && call->getIntrinsicID() == llvm::Intrinsic::masked_load)
    address = call->getArgOperand(0);
  return address && address->getType()->getPointerAddressSpace() == global_space ? address : nullptr;
}

/// Reports whether a value moves far with each iteration of a loop, or by what is not known to be near.
bool moves_far(const llvm::SCEV* value, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  return llvm::SCEVExprContains(value, [&](const llvm::SCEV* part) {
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
    if (!moving || moving->getLoop() != &loop || !moving->isAffine()) return false;
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(evolution));
    return !step || step->getAPInt().abs().uge(far);
  });
}

/// Reports whether a loop loads from afar in each iteration. What its inner loops load does not count.
bool strides(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  for (BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      Value* address = loops.getLoopFor(block) == &loop ? loaded_row(instruction) : nullptr;
      if (!address) continue;
      if (auto* number = llvm::dyn_cast<llvm::IntToPtrInst>(address)) address = number->getOperand(0);
      if (moves_far(evolution.getSCEV(address), loop, evolution)) return true;
    }
  return false;
}

/// Waves take turns at the barriers of a loop.
bool has_turns(const llvm::Loop& loop) {
  const auto suspends = [](const llvm::Instruction& i) { return llvm::isa<llvm::CoroSuspendInst>(i); };
  return llvm::any_of(loop.blocks(), [&](BasicBlock* block) { return llvm::any_of(*block, suspends); });
}

bool is_small(const llvm::Loop& loop) {
  size_t size = 0;
  for (const BasicBlock* block : loop.blocks()) size += block->size();
  return size <= largest_loop;
}

/// Ends a turn at the end of some iterations. What the next iteration gets is copied first, because the frame
/// gets what is used behind a suspension as soon as it is computed, which would be in each iteration.
void add_turn(llvm::Loop& loop, Coroutine& coroutine) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  llvm::Function& function = *header->getParent();
  auto& context = function.getContext();
  auto* end = BasicBlock::Create(context, "iteration_end", &function);
  auto* turn = BasicBlock::Create(context, "turn", &function);
  llvm::IRBuilder<> ir(end);
  ir.SetCurrentDebugLocation(latch->getTerminator()->getDebugLoc());
  latch->getTerminator()->replaceSuccessorWith(header, end);
  header->replacePhiUsesWith(latch, end);
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::PHINode& phi : header->phis()) phis.push_back(&phi);
  auto* left = llvm::PHINode::Create(ir.getInt32Ty(), 3, "left", header->begin());
  Value* fewer = ir.CreateSub(left, ir.getInt32(1));
  ir.CreateCondBr(ir.CreateICmpEQ(fewer, ir.getInt32(0)), turn, header);
  ir.SetInsertPoint(turn);
  llvm::SmallVector<Value*, 8> kept;
  for (llvm::PHINode* phi : phis) {
    Value* next = phi->getIncomingValueForBlock(end);
    kept.push_back(llvm::isa<llvm::Instruction>(next) ? ir.CreateFreeze(next) : next);
  }
  coroutine.create_turn(ir);
  for (const auto& [phi, next] : llvm::zip_equal(phis, kept)) phi->addIncoming(next, ir.GetInsertBlock());
  left->addIncoming(ir.getInt32(iterations_of_turn), before);
  left->addIncoming(fewer, end);
  left->addIncoming(ir.getInt32(iterations_of_turn), ir.GetInsertBlock());
  ir.CreateBr(header);
}

}  // namespace

void add_turns(Coroutine& coroutine, llvm::FunctionAnalysisManager& analyses) {
  llvm::Function& function = coroutine.function();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SmallVector<llvm::Loop*, 4> striding;
  const bool may_have_turns = coroutine.has_waits();
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (may_have_turns && loop->isLoopSimplifyForm() && is_small(*loop) && !has_turns(*loop) &&
        strides(*loop, loops, evolution))
      striding.push_back(loop);
  for (llvm::Loop* loop : striding) add_turn(*loop, coroutine);
  coroutine.settle_turns();
  if (!striding.empty()) analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

}  // namespace heddle::finalizer::x86
