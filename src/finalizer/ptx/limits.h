// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/llvm.h"
#include "support/result.h"

namespace heddle::finalizer::ptx {

/// Fails if the module has something of which it is not known that the code generator can translate it,
/// because what this cannot translate ends the process. Also runs LLVM's verifier, in all builds.
Result<void> check_limits(const llvm::Module& module);

}  // namespace heddle::finalizer::ptx
