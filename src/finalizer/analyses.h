// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Passes/PassBuilder.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// The analyses that passes which do not depend on the machine ask for. They know each other, so that passes
/// for functions may use those of loops and modules.
class Analyses {
 public:
  Analyses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(sccs_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, sccs_, modules_);
  }
  Analyses(const Analyses&) = delete;

  llvm::FunctionAnalysisManager& of_functions() { return functions_; }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager sccs_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace heddle::finalizer
