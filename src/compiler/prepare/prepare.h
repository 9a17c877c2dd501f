// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/translate.h"

namespace heddle::compiler {

/// Changes a module so that it has only what the emitter translates: inlines and optimises (above level 0),
/// and expands what HSAIL has no instruction for. Constructs that it does not know stay as they are, for the
/// emitter to report.
void prepare(llvm::Module& module, const TranslateOptions& options);

}  // namespace heddle::compiler
