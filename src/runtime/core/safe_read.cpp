// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/safe_read.h"

#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace heddle::runtime {

bool safe_read(uint64_t address, void* to, size_t size) {
  iovec local{to, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size)) return true;
  if (errno != EPERM && errno != ENOSYS) return false;
  std::memcpy(to, reinterpret_cast<const void*>(address), size);
  return true;
}

}  // namespace heddle::runtime
