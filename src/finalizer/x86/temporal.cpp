// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/temporal.h"

#include <llvm/IR/InstIterator.h>

namespace heddle::finalizer::x86 {

void drop_nontemporal_hints(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (instruction.hasMetadata(llvm::LLVMContext::MD_nontemporal))
        instruction.setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
}

}  // namespace heddle::finalizer::x86
