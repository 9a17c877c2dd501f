// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "compiler/emit/module_context.h"

namespace heddle::compiler {

/// Returns the text of the HSAIL module for a module that prepare() has left. What cannot be translated is
/// reported to the context; the text is then of no use.
std::string emit_module(ModuleContext& context);

}  // namespace heddle::compiler
