// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/passes.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace heddle::compiler {

std::unique_ptr<llvm::TargetMachine> device(const llvm::Module& module) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
  });
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (target == nullptr) return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(module.getTargetTriple(), "", "", {}, std::nullopt));
}

}  // namespace heddle::compiler
