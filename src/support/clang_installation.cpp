// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/clang_installation.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "support/library_folder.h"

namespace heddle {
namespace {

bool exists(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

/// Looks for a program in the folders of PATH.
std::string in_path(const std::string& program) {
  const char* setting = std::getenv("PATH");
  std::string_view folders = setting != nullptr ? setting : "";
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string path = std::string(folders.substr(0, end)) + "/" + program;
    std::error_code failed;
    if (path.front() == '/' && access(path.c_str(), X_OK) == 0 &&
        !std::filesystem::is_directory(path, failed))
      return path;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

}  // namespace

std::string installed_clang() {
  std::string found = in_path("clang-22");
  if (found.empty() && access(debian_clang, X_OK) == 0) found = debian_clang;
  return found;
}

std::string installed_hip_headers(const void* address) {
  const std::string own = library_folder(address) + "/" + hip_headers_subfolder;
  for (const std::string& folder : {own, std::string("/usr"), std::string("/opt/rocm")})
    if (exists(folder + "/include/hip/hip_runtime.h")) return folder;
  return {};
}

}  // namespace heddle
