// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/LegacyPassManager.h>

namespace heddle::finalizer::ptx {

/// The passes of LLVM's back end, without its strength reduction of loops. That pass turns an index that all
/// arrays of a loop share into a pointer for each array, of 64 bits, and unrolled bodies even into several.
/// The registers are missing where a GPU hides latency by many waves, and nothing is gained: the GPU adds
/// an index of 32 bits to a base in one instruction. LLVM can only be told so for the whole process, which
/// has other users of LLVM, so that the pass is dropped where it would be added.
class BackEndPasses final : public llvm::legacy::PassManagerBase {
 public:
  void add(llvm::Pass* pass) override;
  void run(llvm::Module& module) { passes_.run(module); }

 private:
  llvm::legacy::PassManager passes_;
};

}  // namespace heddle::finalizer::ptx
