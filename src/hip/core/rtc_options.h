// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of hipRTC, which are those of clang and some of other compilers.
#pragma once

#include <string>
#include <vector>

namespace heddle::hip {

/// Returns the words for the compiler library, which refuses those that it does not know.
std::vector<std::string> rtc_options(const std::vector<std::string>& given);

}  // namespace heddle::hip
