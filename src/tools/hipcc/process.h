// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools::hipcc {

/// Returns clang 22: what HEDDLE_CLANG names, else clang-22 in PATH, else that of Debian's package.
std::string clang_program();

/// Runs a program with the standard streams of this one, and returns its exit code; 128 and the number of the
/// signal that ended it. The error says that it could not be started.
Result<int> run_program(const std::vector<std::string>& words);

}  // namespace heddle::tools::hipcc
