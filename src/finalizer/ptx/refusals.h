// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"

namespace heddle::finalizer::ptx {

/// Reports whatever the kernels and indirect functions of the program contain that this target has no code
/// for (docs/status.md): event triggers, enabled exceptions, and the small machine model.
void refuse_unsupported(const CompileRequest& request, Diagnostics& diagnostics);

/// Reports whether a kernel, or a function that it calls directly, allocates private memory at run time
/// (PRM 10.10).
bool allocates_private_memory(const link::Program& program, link::Reference kernel);

}  // namespace heddle::finalizer::ptx
