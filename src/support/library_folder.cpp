// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/library_folder.h"

#include <dlfcn.h>

#include <filesystem>

namespace heddle {

std::string library_folder(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return ".";
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(info.dli_fname, failed);
  return (failed ? std::filesystem::path(info.dli_fname) : path).parent_path().string();
}

}  // namespace heddle
