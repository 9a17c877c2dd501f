// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/result.h"

namespace heddle::compiler {

/// Why a step of the compiler failed. Messages about it have been reported before a function returns this.
enum class Failure { invalid_argument, invalid_option, failed, not_installed, out_of_resources };

template <typename T>
using Outcome = Result<T, Failure>;

}  // namespace heddle::compiler
