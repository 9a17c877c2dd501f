// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace heddle {

Result<TemporaryFolder> TemporaryFolder::create(const std::string& purpose) {
  std::error_code failed;
  std::string name =
      (std::filesystem::temp_directory_path(failed) / ("heddle-" + purpose + "-XXXXXX")).string();
  if (failed || mkdtemp(name.data()) == nullptr)
    return Error{"a temporary folder cannot be made: " + std::string(std::strerror(errno))};
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle
