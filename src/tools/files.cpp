// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace heddle::tools {
namespace {

struct Closer {
  void operator()(FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<FILE, Closer>;

Error file_error(const char* what, const std::string& path) {
  return {
      fmt::format("cannot {} {}: {}", what, path == "-" ? "standard stream" : path, std::strerror(errno))};
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
  File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (!file) return file_error("write", path);
  bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() && std::fflush(file.get()) == 0;
  if (written) return {};
  Error error = file_error("write", path);
  file.reset();
  if (path != "-") std::remove(path.c_str());
  return error;
}

}  // namespace heddle::tools
