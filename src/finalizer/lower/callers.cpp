// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/callers.h"

#include <llvm/IR/InstIterator.h>

namespace heddle::finalizer {
namespace {

using llvm::CallBase;
using llvm::Function;

bool has_call(const Function& function, llvm::function_ref<bool(const CallBase&)> predicate) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<CallBase>(&instruction);
    return call && predicate(*call);
  });
}

}  // namespace

std::set<const Function*> functions_leading_to(const llvm::Module& module,
                                               llvm::function_ref<bool(const CallBase&)> predicate) {
  std::set<const Function*> found;
  llvm::SmallVector<const Function*, 16> pending;  // their callers are still to be found
  const auto add = [&](const Function* function) {
    if (found.insert(function).second) pending.push_back(function);
  };
  for (const Function& function : module)
    if (has_call(function, predicate)) add(&function);
  while (!pending.empty()) {
    const Function* callee = pending.pop_back_val();
    // Other users take its address. Who calls it by that address is for the predicate to say.
    for (const llvm::User* user : callee->users())
      if (const auto* call = llvm::dyn_cast<CallBase>(user); call && call->getCalledFunction() == callee)
        add(call->getCaller());
  }
  return found;
}

}  // namespace heddle::finalizer
