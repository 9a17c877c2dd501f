// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "program.h"

namespace heddle::tools::fuzz {

/// The smallest program found that still fails: takes out runs of statements, then single ones, replaces
/// control flow by what it controls, and makes the grid smaller, until nothing helps or `fails` has been
/// asked `budget` times. `program` itself must fail.
Program shrink(Program program, const std::function<bool(const Program&)>& fails, unsigned budget);

}  // namespace heddle::tools::fuzz
