// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace heddle {

Result<TemporaryFolder> TemporaryFolder::create(const std::string& purpose) {
  std::error_code failed;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(failed);
  if (failed) return Error{"there is no folder for temporary files: " + failed.message()};
  return create_in(parent, purpose);
}

Result<TemporaryFolder> TemporaryFolder::create_in(const std::string& parent, const std::string& purpose) {
  std::string name = std::filesystem::path(parent) / ("heddle-" + purpose + "-XXXXXX");
  if (mkdtemp(name.data()) == nullptr)
    return Error{"a temporary folder cannot be made: " + std::string(std::strerror(errno))};
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle
