// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "support/result.h"

namespace heddle {

/// A folder for files that are removed with it.
class TemporaryFolder {
 public:
  /// Makes a folder where TMPDIR says. `purpose` becomes part of its name.
  static Result<TemporaryFolder> create(const std::string& purpose);
  /// Makes a folder in another one.
  static Result<TemporaryFolder> create_in(const std::string& parent, const std::string& purpose);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }
  /// Returns the path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace heddle
