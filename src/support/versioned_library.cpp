// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/versioned_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "support/library_folder.h"

namespace heddle {
namespace {

std::string path_of(const VersionedLibrary& wanted, const void* address) {
  const char* const setting = secure_getenv(wanted.setting);
  if (setting != nullptr && *setting != '\0') return setting;
  return fmt::format("{}/{}.{}", library_folder(address), wanted.stem, wanted.version);
}

}  // namespace

Result<void*> open_library(const VersionedLibrary& wanted, const void* address) {
  const std::string path = path_of(wanted, address);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string reason = dlerror();
    std::error_code absent;
    if (!std::filesystem::exists(path, absent))
      return Error{fmt::format("{} is not installed ({}): install the package {}", wanted.description, path,
                               wanted.package)};
    return Error{fmt::format("{} cannot be opened: {}", wanted.description, reason)};
  }
  const auto version = reinterpret_cast<uint32_t (*)()>(dlsym(library, wanted.version_symbol));
  if (version == nullptr) return Error{fmt::format("{} is not {} of heddle", path, wanted.description)};
  if (version() == wanted.version) return library;
  return Error{fmt::format("{} has interface version {}, not {}", path, version(), wanted.version)};
}

}  // namespace heddle
