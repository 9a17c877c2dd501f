// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace heddle::compiler {

/// Replaces getelementptr with indices that are no constants by sums of bytes, so that passes behind compute
/// products of index and size once for several addresses, and outside of loops where they can. Vectors of
/// addresses stay as they are.
class ExplicitAddresses : public llvm::PassInfoMixin<ExplicitAddresses> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::compiler
