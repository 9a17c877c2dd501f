// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of LLVM over a whole program, before it is made ready for translation (prepare/prepare.h).
#pragma once

#include "compiler/passes/level.h"

namespace llvm {
class Module;
}

namespace heddle::compiler {

/// Optimises a module that is linked with all libraries it needs, with the passes of the level.
/// docs/languages.md says which these are, and why. At Level::none, only functions that must be inlined are,
/// and what nothing needs is removed.
void optimise(llvm::Module& module, Level level);

}  // namespace heddle::compiler
