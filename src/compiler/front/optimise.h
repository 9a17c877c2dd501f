// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"
#include "compiler/front/options.h"

namespace heddle::compiler {

/// Runs LLVM's passes of the level over the whole program.
void optimise(llvm::Module& module, Level level);

}  // namespace heddle::compiler
