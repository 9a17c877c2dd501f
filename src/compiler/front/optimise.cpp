// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/optimise.h"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include "compiler/front/passes.h"

namespace heddle::compiler {
namespace {

llvm::OptimizationLevel level_of(Level level) {
  switch (level) {
    case Level::none:
      return llvm::OptimizationLevel::O0;
    case Level::less:
      return llvm::OptimizationLevel::O1;
    case Level::normal:
      return llvm::OptimizationLevel::O2;
    case Level::aggressive:
      return llvm::OptimizationLevel::O3;
    case Level::size:
      return llvm::OptimizationLevel::Os;
    case Level::least_size:
      return llvm::OptimizationLevel::Oz;
  }
  return llvm::OptimizationLevel::O2;
}

/// Wave compilers make vectors of work-items, so loops and straight-line code stay scalar.
llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = false;
  options.SLPVectorization = false;
  options.LoopInterleaving = false;
  return options;
}

}  // namespace

void optimise(llvm::Module& module, Level level) {
  // The machine tells passes which address spaces overlap and what diverges. The builder does not know it,
  // because it would add passes for AMD's processors.
  const auto machine = device(module);
  llvm::PassBuilder builder(nullptr, tuning());
  // Generic pointers are flat (address space 0) until it is known where they point.
  builder.registerCGSCCOptimizerLateEPCallback([](llvm::CGSCCPassManager& passes, llvm::OptimizationLevel) {
    llvm::FunctionPassManager functions;
    functions.addPass(llvm::InferAddressSpacesPass(0));
    passes.addPass(llvm::createCGSCCToFunctionPassAdaptor(std::move(functions)));
  });
  Analyses analyses(builder, machine.get());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(level == Level::none ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                      : builder.buildPerModuleDefaultPipeline(level_of(level)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, analyses.modules);
}

}  // namespace heddle::compiler
