// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions that work on vectors element by element.
#pragma once

#include <array>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>

#include "compiler/emit/function_emitter.h"

namespace heddle::compiler {

/// The parts of the first three arguments of a call that belong to one element.
using ElementArguments = std::array<Parts, 3>;

/// Computes the result of a call from those for each element of its first argument, whose type the function
/// gets. Arguments that are no vectors beside vectors are the same for all elements.
void set_by_elements(FunctionEmitter& emitter, const llvm::CallInst& call,
                     llvm::function_ref<Parts(llvm::Type*, const ElementArguments&)> function);

}  // namespace heddle::compiler
