// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/folder.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace heddle::cache {
namespace {

/// The subfolder changes with the format of entries or of the ledger, so that versions of heddle that differ
/// in it do not take each other's files for damaged.
constexpr const char* format_folder = "1";

constexpr int open_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Creates a folder and those above it. Does nothing for those that exist.
void create_folders(std::string path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    path[slash] = '\0';
    ::mkdir(path.c_str(), S_IRWXU);  // whether it worked shows when the folder is opened
    path[slash] = '/';
  }
  ::mkdir(path.c_str(), S_IRWXU);
}

Refusal cannot_open(const std::string& path) {
  const int error = errno;
  return {fmt::format("{}: {}", path, std::generic_category().message(error)), false, error == ENOENT};
}

/// Takes over an open folder if it is private.
Result<Descriptor, Refusal> checked(int number, const std::string& path) {
  Descriptor folder(number);
  struct stat status;
  if (!folder || ::fstat(number, &status) != 0) return cannot_open(path);
  if (is_private(status)) return folder;
  const bool foreign = status.st_uid != ::geteuid();
  return Refusal{foreign
                     ? fmt::format("{} belongs to user {}, not to user {}", path, status.st_uid, ::geteuid())
                     : fmt::format("{} can be written by other users (mode {:o})", path,
                                   static_cast<unsigned>(status.st_mode) & 07777u),
                 true, false};
}

}  // namespace

bool is_private(const struct stat& file) {
  return file.st_uid == ::geteuid() && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Result<Descriptor, Refusal> open_folder(const std::string& path, Missing missing) {
  int number = ::open(path.c_str(), open_flags);
  if (number < 0 && errno == ENOENT && missing == Missing::create) {
    create_folders(path);
    number = ::open(path.c_str(), open_flags);
  }
  auto outer = checked(number, path);
  if (!outer.ok()) return outer;
  const int above = outer->number();
  number = ::openat(above, format_folder, open_flags | O_NOFOLLOW);
  if (number < 0 && errno == ENOENT && missing == Missing::create) {
    ::mkdirat(above, format_folder, S_IRWXU);
    number = ::openat(above, format_folder, open_flags | O_NOFOLLOW);
  }
  return checked(number, path + "/" + format_folder);
}

}  // namespace heddle::cache
