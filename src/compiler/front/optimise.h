// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"
#include "compiler/front/options.h"

namespace heddle::compiler {

/// Replaces calls of printf by code that fills a buffer, as HIP's headers and clang do for HIP. Must run
/// before libraries are linked, because the code calls one of their functions.
void expand_printf(llvm::Module& module);

/// Runs LLVM's passes of the level over the whole program.
void optimise(llvm::Module& module, Level level);

}  // namespace heddle::compiler
