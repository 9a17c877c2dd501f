// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of LLVM that the front uses.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

namespace heddle::compiler {

/// The only target of the compiler. Its data layout is that of HSAIL's large machine model.
inline constexpr const char* target_triple = "amdgcn-amd-amdhsa";

}  // namespace heddle::compiler
