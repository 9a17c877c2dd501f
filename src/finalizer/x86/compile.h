// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"
#include "finalizer/x86/machine.h"

namespace heddle::finalizer::x86 {

/// Implements SpmdTarget::generate for a level. Fills text, data and relocations, the entries, flags and
/// private sizes of the kernels, and the entries of the indirect functions. With a dump folder, writes the
/// lowered and the optimised IR and the object file there. With debugging, DWARF is kept.
Result<void> compile(SpmdProgram spmd, Level level, const CompileRequest& request,
                     codeobject::CodeObject& object);

}  // namespace heddle::finalizer::x86
