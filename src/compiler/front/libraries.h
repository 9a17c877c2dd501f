// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that sources call without defining them: heddle's device library, then libclc.
#pragma once

#include "compiler/front/failure.h"
#include "compiler/front/llvm.h"
#include "compiler/front/messages.h"

namespace heddle::compiler {

/// Links what the module needs of the libraries, and makes everything internal but kernels and what the
/// source says is used or visible. libclc need not be installed if nothing needs it. Functions that are still
/// missing are errors.
Outcome<void> link_libraries(llvm::Module& module, const Messages& messages);

}  // namespace heddle::compiler
