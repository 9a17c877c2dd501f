// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Replaces calls of printf by code that fills a buffer, as HIP's headers and clang do for HIP. Must run
/// before libraries are linked, because the code calls one of their functions.
void expand_printf(llvm::Module& module);

/// Gives calls of printf in HIP, which clang has replaced already, the number of characters as their result,
/// where that is used: clang makes 0 of it. Must run before expand_printf() and before libraries are linked.
void return_printf_lengths(llvm::Module& module);

}  // namespace heddle::compiler
