// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::finalizer::ptx {

/// Replaces operations among the lanes of a wave by what they are known to give, which LLVM does not know: a
/// ballot on a constant is the whole mask of lanes or 0, a match of a constant is the whole mask,
/// and a constant that is read from another lane is that constant. Kernels that exchange values in a loop
/// that LLVM unrolls have many of them, because each branch of the loop computes the active lanes anew
/// (active_lanes.h). Only a mask from there may be taken for the result: all lanes in it execute the
/// operation, but for those that have trapped, with which the dispatch has failed.
struct FoldKnownBallots : llvm::PassInfoMixin<FoldKnownBallots> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::finalizer::ptx
