// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools::hipcc {

/// Replaces each word @FILE by the words in the file, as compilers do: words are separated by white space,
/// quotes of both kinds keep it, and a backslash makes the next character ordinary. Files may name others. A
/// word stays as it is if there is no such file. The error says that files name each other without end, or
/// cannot be read.
Result<std::vector<std::string>> expand_response_files(const std::vector<std::string>& words);

}  // namespace heddle::tools::hipcc
