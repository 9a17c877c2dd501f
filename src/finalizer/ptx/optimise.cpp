// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/optimise.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "finalizer/passes.h"

namespace heddle::finalizer::ptx {
namespace {

/// How often the body of a loop with loads stands in a row, so that several loads are under way at once.
constexpr unsigned unroll_count = 8;

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
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", unroll_count);
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
      if (level > 1)
        builder.registerOptimizerEarlyEPCallback(
            [](llvm::ModulePassManager& late, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
              late.addPass(llvm::createModuleToFunctionPassAdaptor(UnrollHints()));
            });
      passes = builder.buildPerModuleDefaultPipeline(level_of(level));
    }
    passes.run(module, analyses);
  });
}

}  // namespace heddle::finalizer::ptx
