// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/passes.h"

namespace heddle::finalizer {

llvm::TargetLibraryInfoImpl no_library(const llvm::Module& module) {
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  return library;
}

void with_passes(llvm::Module& module, llvm::TargetMachine& machine,
                 llvm::function_ref<void(llvm::PassBuilder&, llvm::ModuleAnalysisManager&)> run) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library(module)); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  run(builder, modules);
}

}  // namespace heddle::finalizer
