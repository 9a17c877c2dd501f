// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pragma by which kernels and functions let work-items end before barriers (docs/hsail.md).
#pragma once

#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// Checks all pragmas "heddle.early_return" of a program. Reports ("FINALIZER-early-return") those that have
/// operands, or stand outside of kernels and functions.
void check_early_return_pragmas(const link::Program& program, Diagnostics& diagnostics);

/// Reports whether barriers of a kernel do not wait for work-items that have ended, because the kernel has
/// the pragma or calls a function that has it. The program is resolved.
bool may_return_early(const link::Program& program, link::Reference kernel);

}  // namespace heddle::finalizer
