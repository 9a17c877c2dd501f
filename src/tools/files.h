// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files. "-" is standard input or output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

Result<std::vector<std::byte>> read_file(const std::string& path);
/// Replaces the file. A file that cannot be written completely is removed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace heddle::tools
