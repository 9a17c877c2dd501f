// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/libclc_names.h"

#include <llvm/IR/Module.h>

namespace heddle::devlib {

void rename_replaced_functions(llvm::Module& libclc, const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front(libclc_prefix)) continue;
    if (llvm::Function* const replaced = libclc.getFunction(name)) replaced->setName(function.getName());
  }
}

}  // namespace heddle::devlib
