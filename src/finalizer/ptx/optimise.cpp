// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/optimise.h"

#include "finalizer/passes.h"
#include "finalizer/ptx/known_ballots.h"
#include "finalizer/ptx/trip_batches.h"
#include "finalizer/ptx/unroll_hints.h"

namespace heddle::finalizer::ptx {
namespace {

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
              late.addPass(llvm::createModuleToFunctionPassAdaptor(TripBatches()));
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
