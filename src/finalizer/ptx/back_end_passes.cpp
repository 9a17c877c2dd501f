// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/back_end_passes.h"

#include <memory>

#include <llvm/Pass.h>
#include <llvm/Transforms/Scalar.h>

namespace heddle::finalizer::ptx {

/// LLVM has no other name for the pass that its headers tell.
static bool reduces_strength_of_loops(const llvm::Pass& pass) {
  static const llvm::AnalysisID id =
      std::unique_ptr<llvm::Pass>(llvm::createLoopStrengthReducePass())->getPassID();
  return pass.getPassID() == id;
}

void BackEndPasses::add(llvm::Pass* pass) {
  std::unique_ptr<llvm::Pass> owned(pass);
  if (!reduces_strength_of_loops(*pass)) passes_.add(owned.release());
}

}  // namespace heddle::finalizer::ptx
