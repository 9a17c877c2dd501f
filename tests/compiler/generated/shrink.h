// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "tools/fuzz/program.h"

namespace heddle::tests {

using Fails = std::function<bool(const tools::fuzz::Program&)>;

/// Returns the smallest program found that still fails: statements are removed as for HSAIL
/// (tools/fuzz/shrink.h), lines of the heads and tails of routines too, and marked expressions become
/// constants or parts of themselves. `fails` is called about `budget` times at most.
tools::fuzz::Program shrink_program(tools::fuzz::Program program, const Fails& fails, unsigned budget);

}  // namespace heddle::tests
