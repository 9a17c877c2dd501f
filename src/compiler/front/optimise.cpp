// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/optimise.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include <cassert>
#include <mutex>

namespace heddle::compiler {
namespace {

/// The analyses that passes ask for, in the order in which they must be destroyed.
struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  Analyses(llvm::PassBuilder& builder, llvm::TargetMachine* machine) {
    if (machine != nullptr) functions.registerPass([machine] { return machine->getTargetIRAnalysis(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

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

/// Returns LLVM's description of the device, of which only passes over IR are used.
std::unique_ptr<llvm::TargetMachine> device(const llvm::Module& module) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
  });
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (target == nullptr) return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(module.getTargetTriple(), "", "", {}, std::nullopt));
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

void expand_printf(llvm::Module& module) {
  const llvm::Function* const function = module.getFunction("printf");
  if (function == nullptr || function->use_empty()) return;
  const auto machine = device(module);
  if (machine == nullptr) return;  // calls of printf are reported as calls of a missing function
  llvm::PassBuilder builder(machine.get());
  Analyses analyses(builder, machine.get());
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, "amdgpu-printf-runtime-binding")) {
    llvm::consumeError(std::move(error));
    return;
  }
  passes.run(module, analyses.modules);
}

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
  llvm::ModulePassManager passes = level == Level::none
                                       ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                       : builder.buildPerModuleDefaultPipeline(level_of(level));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, analyses.modules);
}

}  // namespace heddle::compiler
