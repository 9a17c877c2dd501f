// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/optimise.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "finalizer/passes.h"
#include "finalizer/ptx/known_ballots.h"

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

/// Asks for the unrolling of loops whose length LLVM does not know; it has unrolled the others already.
struct UnrollHints : llvm::PassInfoMixin<UnrollHints> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
      if (is_worth_unrolling(*loop))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count",
                                      gathers(*loop) ? gather_unroll_count : unroll_count);
    return llvm::PreservedAnalyses::all();
  }
};

/// Lets ptxas unroll loops that gather once more, which it would not do after LLVM has.
struct FreeGathers : llvm::PassInfoMixin<FreeGathers> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
      if (llvm::BasicBlock* latch = loop->getLoopLatch(); latch && loop->isInnermost() && gathers(*loop))
        latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    return llvm::PreservedAnalyses::all();
  }
};

llvm::OptimizationLevel level_of(unsigned level) {
  return level == 1   ? llvm::OptimizationLevel::O1
         : level == 2 ? llvm::OptimizationLevel::O2
                      : llvm::OptimizationLevel::O3;
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned level) {
  with_passes(module, machine, [&](llvm::PassBuilder& builder, llvm::ModuleAnalysisManager& analyses) {
    llvm::ModulePassManager passes;
    if (level == 0) {
      llvm::cantFail(builder.parsePassPipeline(passes, "always-inline,globaldce,function(sroa,simplifycfg)"));
    } else {
      using Phase = llvm::ThinOrFullLTOPhase;
      builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& peephole, llvm::OptimizationLevel) {
        peephole.addPass(FoldKnownBallots());
      });
      if (level > 1) {
        builder.registerOptimizerEarlyEPCallback(
            [](llvm::ModulePassManager& late, llvm::OptimizationLevel, Phase) {
              late.addPass(llvm::createModuleToFunctionPassAdaptor(UnrollHints()));
            });
        builder.registerOptimizerLastEPCallback(
            [](llvm::ModulePassManager& last, llvm::OptimizationLevel, Phase) {
              last.addPass(llvm::createModuleToFunctionPassAdaptor(FreeGathers()));
            });
      }
      passes = builder.buildPerModuleDefaultPipeline(level_of(level));
    }
    passes.run(module, analyses);
  });
}

}  // namespace heddle::finalizer::ptx
