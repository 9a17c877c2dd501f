// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools among the libraries that the process has loaded already.
#pragma once

#include <string>
#include <vector>

namespace heddle::runtime {

/// Returns the paths of loaded libraries that export a constant `uint32_t HSA_AMD_TOOL_PRIORITY` themselves,
/// by ascending priority; of those with the same, in the order in which they were loaded. The program itself
/// does not count. Throws std::bad_alloc.
std::vector<std::string> loaded_tools();

}  // namespace heddle::runtime
