// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing whole files. "-" is standard input or output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

Result<std::vector<std::byte>> read_file(const std::string& path);

/// Writes a whole file, or leaves the old one as it was. The bytes go to a new file in the same folder, which
/// replaces the old one and takes over its permissions only when it is complete. Anything but a regular file
/// (devices, pipes, symbolic links), and a file in a folder in which no file can be created, is overwritten
/// in place and never removed.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);

/// Reports whether both names refer to the same regular file; "-" never does.
bool same_file(const std::string& a, const std::string& b);
/// Returns an Error if writing `output` would overwrite one of the input files.
Result<void> check_output(const std::string& output, std::span<const std::string> inputs);

}  // namespace heddle::tools
