// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"
#include "compiler/front/messages.h"

namespace heddle::compiler {

/// Answers variables whose names begin with __hsail_symbol_ (hsail/compiler.h): a note for each says what
/// the kernel or variable is called whose address it has, and the variable is removed. Nothing that the
/// module contains may refer to them.
void report_symbol_names(llvm::Module& module, const Messages& messages);

}  // namespace heddle::compiler
