// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::driver {

Descriptor create_memory_file(const char* name, uint64_t size, int more_seals) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || !extend_file(file, size) || fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | more_seals) != 0)
    return Descriptor();
  return file;
}

bool extend_file(const Descriptor& file, uint64_t size) {
  struct stat status = {};
  if (fstat(file.number(), &status) == 0 && static_cast<uint64_t>(status.st_size) >= size) return true;
  // The system does not merely refuse to make a file longer than this limit: it ends the process (SIGXFSZ).
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  return ftruncate(file.number(), static_cast<off_t>(size)) == 0;
}

std::optional<uint64_t> size_of_memory_file(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0) return std::nullopt;
  // Older systems tell the size of a dma-buf only in this way.
  const off_t size = status.st_size != 0 ? status.st_size : lseek(file, 0, SEEK_END);
  if (size <= 0) return std::nullopt;
  return static_cast<uint64_t>(size);
}

}  // namespace heddle::driver
