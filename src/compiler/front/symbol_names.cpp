// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/symbol_names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace heddle::compiler {
namespace {

constexpr llvm::StringLiteral question = "__hsail_symbol_";

bool is_question(const llvm::Constant* constant) {
  return constant->stripPointerCasts()->getName().starts_with(question);
}

}  // namespace

void report_symbol_names(llvm::Module& module, const Messages& messages) {
  llvm::removeFromUsedLists(module, [](llvm::Constant* constant) { return is_question(constant); });
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (!is_question(&variable) || !variable.hasInitializer()) continue;
    const auto* const named =
        llvm::dyn_cast<llvm::GlobalValue>(variable.getInitializer()->stripPointerCasts());
    if (named != nullptr) messages.note(variable.getName().str() + " is " + named->getName().str());
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) variable.eraseFromParent();
  }
}

}  // namespace heddle::compiler
