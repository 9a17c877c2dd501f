// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "tools/session.h"

namespace heddle::testing {

/// Returns the kernel agents of the process: first the one for compiled code, then the interpreter. The first
/// call starts the runtime, which runs until the process ends.
const std::vector<tools::KernelAgent>& kernel_agents();

}  // namespace heddle::testing
