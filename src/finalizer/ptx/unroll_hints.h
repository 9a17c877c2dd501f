// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::finalizer::ptx {

/// Asks for the unrolling of loops with loads, so that several loads are under way at once. What LLVM knows
/// about the number of trips does not matter: LLVM has unrolled the shortest loops already, and others gain
/// nothing if they are unrolled as a whole. They may even lose, because ptxas then unrolls the loop around.
struct UnrollHints : llvm::PassInfoMixin<UnrollHints> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Lets ptxas unroll loops that gather once more, which it would not do after LLVM has. The loops for the
/// trips that LLVM has left over stay as they are, because they have too few trips to gain from it.
struct FreeGathers : llvm::PassInfoMixin<FreeGathers> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::finalizer::ptx
