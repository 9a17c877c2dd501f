// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Replaces calls of printf by code that fills a buffer, as HIP's headers and clang do for HIP. Must run
/// before libraries are linked, because the code calls one of their functions.
void expand_printf(llvm::Module& module);

}  // namespace heddle::compiler
