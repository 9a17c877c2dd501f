// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::ptx {

/// Runs LLVM's passes at a level from 0 to 3. Functions with the attribute alwaysinline are inlined at all
/// levels.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned level);

}  // namespace heddle::finalizer::ptx
