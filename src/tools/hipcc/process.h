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

/// A folder for files that are removed with it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  /// Returns the path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace heddle::tools::hipcc
