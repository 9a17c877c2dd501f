// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is needed to run passes of LLVM.
#pragma once

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Returns LLVM's description of AMD's device, for the pass of its target that makes printf; null if LLVM was
/// built without it.
std::unique_ptr<llvm::TargetMachine> device(const llvm::Module& module);

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

}  // namespace heddle::compiler
