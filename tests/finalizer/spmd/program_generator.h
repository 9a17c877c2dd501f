// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes functions with random control flow that always end.
#pragma once

#include <memory>

#include "finalizer/llvm.h"

namespace heddle::testing {

enum class Style : uint8_t {
  structured,    ///< nested branches and loops, with break, continue, return, and switch
  unstructured,  ///< blocks that lead to each other in any way; cycles may be irreducible
};

/// Makes a module with one function @f of the type that linearised.h describes. The same seed gives the same
/// function.
std::unique_ptr<llvm::Module> generate_program(llvm::LLVMContext& context, Style style, uint32_t seed);

}  // namespace heddle::testing
