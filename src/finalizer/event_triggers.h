// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// Warns ("FINALIZER-event-trigger") of pragmas that are to trigger profile events and do not, because they
/// have operands that such a pragma does not take, or stand outside of kernels and functions.
void check_event_triggers(const link::Program& program, Diagnostics& diagnostics);

}  // namespace heddle::finalizer
