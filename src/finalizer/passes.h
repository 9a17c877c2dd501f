// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Code objects have no C library, so the optimiser must neither know nor call its functions.
llvm::TargetLibraryInfoImpl no_library(const llvm::Module& module);

/// Calls `run` with what it needs to run passes over the module, with analyses for this target machine.
void with_passes(llvm::Module& module, llvm::TargetMachine& machine,
                 llvm::function_ref<void(llvm::PassBuilder&, llvm::ModuleAnalysisManager&)> run);

}  // namespace heddle::finalizer
