// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/spmd/parts.h"
#include "finalizer/target.h"
#include "finalizer/x86/machine.h"

namespace heddle::finalizer::x86 {

/// The processors and waves that code is made for.
struct Variant {
  Level level;
  spmd::WaveShape wave;
};

/// Implements SpmdTarget::generate for a variant. Fills text, data and relocations, the entries, flags and
/// private sizes of the kernels, and the entries of the indirect functions. With a dump folder, writes the
/// lowered and the optimised IR and the object file there. With debugging, DWARF is kept.
Result<void> compile(SpmdProgram spmd, const Variant& variant, const CompileRequest& request,
                     codeobject::CodeObject& object, Diagnostics& diagnostics);

}  // namespace heddle::finalizer::x86
