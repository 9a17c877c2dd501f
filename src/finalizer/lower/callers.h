// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries a property of calls over to the functions that may execute them.
#pragma once

#include <set>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Returns the functions with a body that contain a call for which `predicate` holds, and those that lead to
/// one of them through direct calls. Takes time linear in the size of the module.
std::set<const llvm::Function*> functions_leading_to(
    const llvm::Module& module, llvm::function_ref<bool(const llvm::CallBase&)> predicate);

}  // namespace heddle::finalizer
