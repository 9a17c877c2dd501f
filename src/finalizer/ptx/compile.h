// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/ptx/machine.h"
#include "finalizer/target.h"

namespace heddle::finalizer::ptx {

/// Compiles the program to PTX and completes the code object with it (SpmdTarget::generate).
Result<void> compile(SpmdProgram spmd, const Architecture& architecture, const CompileRequest& request,
                     codeobject::CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::finalizer::ptx
