// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/constants.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

namespace heddle::compiler {

void expand_constants(llvm::Module& module) {
  llvm::SmallVector<llvm::Constant*, 16> constants;
  for (llvm::GlobalVariable& variable : module.globals()) constants.push_back(&variable);
  for (llvm::Function& function : module) constants.push_back(&function);
  for (llvm::GlobalAlias& alias : module.aliases()) constants.push_back(&alias);
  llvm::convertUsersOfConstantsToInstructions(constants, nullptr, false);
}

}  // namespace heddle::compiler
