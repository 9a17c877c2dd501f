// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace heddle::tools {
namespace {

struct Closer {
  void operator()(FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<FILE, Closer>;

Error file_error(const char* what, const std::string& path) {
  return {
      fmt::format("cannot {} {}: {}", what, path == "-" ? "standard stream" : path, std::strerror(errno))};
}

/// Writes the bytes and closes the file; on failure errno has the reason. Closing can fail, too, especially
/// on network file systems.
bool write_and_close(int descriptor, std::span<const std::byte> bytes) {
  bool written = true;
  while (written && !bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
    written = count > 0 || (count < 0 && errno == EINTR);
  }
  const int reason = errno;
  const bool closed = close(descriptor) == 0;
  if (!written) errno = reason;
  return written && closed;
}

/// Creates a new file in the folder of `path` and stores its name. Returns its descriptor, or -1.
int create_beside(const std::string& path, std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    name = (folder / fmt::format(".heddle-{}-{}", getpid(), attempt)).string();
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

bool write_in_place(const std::string& path, std::span<const std::byte> bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return descriptor >= 0 && write_and_close(descriptor, bytes);
}

/// Replaces the file. `old` describes the existing file, or is nullptr if there is none.
bool replace(const std::string& path, const struct stat* old, std::span<const std::byte> bytes) {
  if (old != nullptr && access(path.c_str(), W_OK) != 0) return false;  // rename() would not check this
  std::string name;
  const int descriptor = create_beside(path, name);
  if (descriptor < 0) return old != nullptr && write_in_place(path, bytes);
  const bool permitted = old == nullptr || fchmod(descriptor, old->st_mode & 07777) == 0;
  const int reason = errno;
  const bool written = write_and_close(descriptor, bytes);
  if (written && !permitted) errno = reason;
  if (written && permitted && std::rename(name.c_str(), path.c_str()) == 0) return true;
  const int failure = errno;
  unlink(name.c_str());
  errno = failure;
  return false;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return file_error("read", path);
  std::vector<std::byte> bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(used + std::max<size_t>(used, 65536));
    size_t count = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    used += count;
    if (count == 0) break;
  }
  if (std::ferror(file.get())) return file_error("read", path);
  bytes.resize(used);
  return bytes;
}

Result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
  bool written = false;
  if (path == "-") {
    written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  } else {
    struct stat old{};
    const bool exists = lstat(path.c_str(), &old) == 0;
    if (exists ? S_ISREG(old.st_mode) : errno == ENOENT)
      written = replace(path, exists ? &old : nullptr, bytes);
    else
      written = exists && write_in_place(path, bytes);
  }
  if (written) return {};
  return file_error("write", path);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code absent;
  return a != "-" && b != "-" && std::filesystem::is_regular_file(a, absent) &&
         std::filesystem::equivalent(a, b, absent);
}

Result<void> check_output(const std::string& output, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    if (same_file(input, output))
      return Error{fmt::format("the output {} is the input {}: it would be lost", output, input)};
  }
  return {};
}

}  // namespace heddle::tools
