// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "cache/folder.h"
#include "cache/key.h"
#include "support/descriptor.h"

namespace heddle::cache {
namespace {

constexpr std::string_view unfinished_prefix = "new-";

/// Files of this size and above are not entries: the cache does not make them.
constexpr uint64_t largest_entry = uint64_t{1} << 30;

bool is_entry_name(std::string_view name) {
  return name.size() == 2 * Key().size() &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Opens the folder a second time, because reading a directory moves the position of its descriptor.
std::unique_ptr<DIR, int (*)(DIR*)> open_list(int folder) {
  Descriptor again(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* list = again ? ::fdopendir(again.number()) : nullptr;
  if (list != nullptr) again.release();  // the list closes it
  return {list, ::closedir};
}

bool read_all(int file, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = ::read(file, to.data(), to.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to = to.subspan(static_cast<size_t>(got));
  }
  return true;
}

bool write_all(int file, std::span<const std::byte> from) {
  while (!from.empty()) {
    const ssize_t put = ::write(file, from.data(), from.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from = from.subspan(static_cast<size_t>(put));
  }
  return true;
}

/// Reports whether the process may write files of this size. A larger one would end the process with SIGXFSZ.
bool may_write(size_t size) {
  rlimit limit;
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

}  // namespace

std::vector<File> list_files(int folder) {
  std::vector<File> files;
  const auto list = open_list(folder);
  while (const dirent* item = list ? ::readdir(list.get()) : nullptr) {
    const std::string_view name = item->d_name;
    const bool unfinished = name.starts_with(unfinished_prefix);
    struct stat status;
    if (!unfinished && !is_entry_name(name)) continue;
    if (::fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    files.push_back({std::string(name), static_cast<uint64_t>(status.st_size), status.st_mtim, unfinished});
  }
  return files;
}

void remove_file(int folder, const std::string& name) { ::unlinkat(folder, name.c_str(), 0); }

uint64_t remove_oldest(int folder, uint64_t goal) {
  std::vector<File> files = list_files(folder);
  std::ranges::sort(files, {}, [](const File& file) {
    return std::tuple(!file.unfinished, file.used.tv_sec, file.used.tv_nsec, std::string_view(file.name));
  });
  uint64_t total = 0;
  for (const File& file : files) total += file.size;
  for (const File& file : files) {
    if (!file.unfinished && total <= goal) break;
    if (::unlinkat(folder, file.name.c_str(), 0) == 0 || errno == ENOENT) total -= file.size;
  }
  return total;
}

std::optional<std::vector<std::byte>> read_entry(int folder, const std::string& name) {
  // O_NONBLOCK keeps a FIFO of this name from blocking the process.
  const Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.number(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || !is_private(status)) return std::nullopt;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size >= largest_entry) return std::nullopt;
  std::vector<std::byte> bytes(size);
  if (!read_all(file.number(), bytes)) return std::nullopt;
  ::futimens(file.number(), nullptr);  // on read-only file systems nothing is removed, so that it may fail
  return bytes;
}

void write_entry(int folder, const std::string& name, std::span<const std::byte> bytes) {
  uint64_t number = 0;
  if (bytes.size() >= largest_entry || !may_write(bytes.size())) return;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) return;
  const std::string unfinished = fmt::format("{}{:016x}", unfinished_prefix, number);
  Descriptor file(::openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                           S_IRUSR | S_IWUSR));
  if (!file) return;
  bool good = write_all(file.number(), bytes);
  good = file.reset() && good;
  if (!good || ::renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0)
    remove_file(folder, unfinished);
}

}  // namespace heddle::cache
