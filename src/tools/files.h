// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files. "-" is standard input or output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

Result<std::vector<std::byte>> read_file(const std::string& path);

/// Writes a whole file, or leaves what was there: the bytes go to a new file in the same folder, which takes
/// the place of the old one (and its permissions) only when it is complete. What is no regular file (devices,
/// pipes, symbolic links), and a file in a folder that takes no new ones, is written in place and never
/// removed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

/// Whether both names are of one regular file; "-" is none.
bool same_file(const std::string& a, const std::string& b);
/// An Error if writing `output` would replace one of the files that are read.
Result<void> check_output(const std::string& output, std::span<const std::string> inputs);

}  // namespace heddle::tools
