// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "compiler/emit/module_context.h"

namespace heddle::compiler {

/// Appends the variables of the module, with their initial values. All variables have agent allocation: each
/// agent has its own, as each device has in OpenCL and HIP.
void emit_globals(ModuleContext& context, std::string& text);

}  // namespace heddle::compiler
