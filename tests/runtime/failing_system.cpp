// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failing_system.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <fstream>

namespace heddle::runtime::test {
namespace {

std::atomic<bool> armed{false};
std::atomic<long> left{0};
std::atomic<Failing> kind{Failing::all};
std::atomic<const char*> failed{nullptr};

/// Whether this call is to fail. Sets errno.
bool fails(const char* function, int error) {
  if (!armed.load()) return false;
  const long number = left.fetch_sub(1);
  if (number > 0 || (number < 0 && kind.load() == Failing::one)) return false;
  failed.store(function);
  errno = error;
  return true;
}

size_t entries(const char* folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

void fail_system(long allowed, Failing failing) {
  kind.store(failing);
  left.store(allowed);
  failed.store(nullptr);
  armed.store(true);
}

const char* nothing_of_the_system_fails() {
  armed.store(false);
  return failed.load();
}

Held held_by_process() {
  Held held{entries("/proc/self/fd"), entries("/proc/self/task"), 0};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++held.mappings;
  return held;
}

}  // namespace heddle::runtime::test

using heddle::runtime::test::fails;

// The C library's functions are called by number, because those of the program have their names.
extern "C" {
#define HEDDLE_REPLACES __attribute__((visibility("default")))

HEDDLE_REPLACES void* mmap(void* address, size_t size, int protection, int flags, int file,
                           off_t offset) noexcept {
  if (fails("mmap", ENOMEM)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
HEDDLE_REPLACES int mprotect(void* address, size_t size, int protection) noexcept {
  return fails("mprotect", ENOMEM) ? -1 : static_cast<int>(syscall(SYS_mprotect, address, size, protection));
}
HEDDLE_REPLACES int madvise(void* address, size_t size, int advice) noexcept {
  return fails("madvise", ENOMEM) ? -1 : static_cast<int>(syscall(SYS_madvise, address, size, advice));
}
HEDDLE_REPLACES int mlock(const void* address, size_t size) noexcept {
  return fails("mlock", ENOMEM) ? -1 : static_cast<int>(syscall(SYS_mlock, address, size));
}
HEDDLE_REPLACES int memfd_create(const char* name, unsigned flags) noexcept {
  return fails("memfd_create", EMFILE) ? -1 : static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
HEDDLE_REPLACES int ftruncate(int file, off_t size) noexcept {
  return fails("ftruncate", ENOSPC) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, size));
}
HEDDLE_REPLACES int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return fails("open", EMFILE) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
HEDDLE_REPLACES int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);
  va_end(rest);
  // Other commands only ask.
  if ((command == F_ADD_SEALS || command == F_DUPFD_CLOEXEC) && fails("fcntl", EMFILE)) return -1;
  return static_cast<int>(syscall(SYS_fcntl, file, command, argument));
}
HEDDLE_REPLACES ssize_t pread(int file, void* memory, size_t size, off_t offset) {
  return fails("pread", EIO) ? -1 : syscall(SYS_pread64, file, memory, size, offset);
}
HEDDLE_REPLACES int pipe2(int* ends, int flags) noexcept {
  return fails("pipe2", EMFILE) ? -1 : static_cast<int>(syscall(SYS_pipe2, ends, flags));
}
HEDDLE_REPLACES ssize_t getrandom(void* memory, size_t size, unsigned flags) {
  return fails("getrandom", EAGAIN) ? -1 : syscall(SYS_getrandom, memory, size, flags);
}
HEDDLE_REPLACES DIR* opendir(const char* path) {
  static const auto next = reinterpret_cast<DIR* (*)(const char*)>(dlsym(RTLD_NEXT, "opendir"));
  return fails("opendir", EMFILE) ? nullptr : next(path);
}
}
