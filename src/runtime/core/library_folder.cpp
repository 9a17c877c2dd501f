// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/library_folder.h"

#include <dlfcn.h>

namespace heddle::runtime {

std::string library_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

}  // namespace heddle::runtime
