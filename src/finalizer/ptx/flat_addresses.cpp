// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/flat_addresses.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::finalizer::ptx {

/// The code generator looks for conversions of what has been loaded itself (NVPTXLowerArgs), and through no
/// freeze.
void keep_addresses_flat(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* address = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
      if (!address || address->getAddressSpace() != 0 || !llvm::isa<llvm::LoadInst>(address->getOperand(0)))
        continue;
      llvm::IRBuilder<> ir(address);
      address->setOperand(0, ir.CreateFreeze(address->getOperand(0)));
    }
}

}  // namespace heddle::finalizer::ptx
