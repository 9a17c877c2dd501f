// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "program.h"

namespace heddle::tools::fuzz {

/// Returns the smallest program found that still fails. Removes runs of statements, then single ones,
/// replaces control flow by its bodies, and makes the grid smaller, until nothing helps or `fails` has been
/// called `budget` times. `program` itself must fail.
Program shrink(Program program, const std::function<bool(const Program&)>& fails, unsigned budget);

}  // namespace heddle::tools::fuzz
