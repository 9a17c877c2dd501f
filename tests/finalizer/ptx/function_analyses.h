// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace heddle::finalizer::ptx {

/// The analyses that a pass over functions may ask for.
class FunctionAnalyses {
 public:
  FunctionAnalyses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerFunctionAnalyses(functions_);
    builder.crossRegisterProxies(loops_, functions_, sccs_, modules_);
  }
  FunctionAnalyses(const FunctionAnalyses&) = delete;
  FunctionAnalyses& operator=(const FunctionAnalyses&) = delete;

  llvm::FunctionAnalysisManager& get() { return functions_; }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager sccs_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace heddle::finalizer::ptx
