// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/unroll_hints.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "finalizer/llvm.h"
#include "finalizer/ptx/trip_batches.h"

namespace heddle::finalizer::ptx {
namespace {

/// How often the body of a loop with loads stands in a row, so that several loads are under way at once.
constexpr unsigned unroll_count = 8;
/// The same for loops that gather, whose trips wait for two loads after each other. They often are short, as
/// rows of sparse matrices are, and what remains of the trips is executed one at a time.
constexpr unsigned gather_unroll_count = 4;

/// Whether the address of a load depends on another load of the loop.
bool gathers(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const llvm::Value*, 32> loaded;
  const auto is_loaded = [&](const llvm::Use& use) { return loaded.contains(use.get()); };
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && loaded.contains(load->getPointerOperand())) return true;
      const bool depends =
          !llvm::isa<llvm::PHINode>(instruction) && llvm::any_of(instruction.operands(), is_loaded);
      if (load || depends) loaded.insert(&instruction);
    }
  return false;
}

bool is_worth_unrolling(const llvm::Loop& loop) {
  if (!loop.isInnermost() || loop.getLoopID()) return false;
  bool loads = false;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || !llvm::isa<llvm::IntrinsicInst>(call))) return false;
      if (instruction.isAtomic()) return false;
      loads = loads || llvm::isa<llvm::LoadInst>(instruction);
    }
  return loads;
}

/// Whether a loop has so few trips as those that execute what LLVM has left over when it unrolled another.
bool is_remainder(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  return most != 0 && most < gather_unroll_count;
}

}  // namespace

llvm::PreservedAnalyses UnrollHints::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (is_worth_unrolling(*loop))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count",
                                    gathers(*loop) ? gather_unroll_count : unroll_count);
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses FreeGathers::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::BasicBlock* latch = loop->getLoopLatch();
    if (latch && loop->isInnermost() && gathers(*loop) && !is_remainder(*loop, evolution) &&
        !llvm::findStringMetadataForLoop(loop, batched_loop))
      latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace heddle::finalizer::ptx
