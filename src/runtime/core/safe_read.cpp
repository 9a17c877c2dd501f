// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/safe_read.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cassert>
#include <cerrno>

namespace heddle::runtime {
namespace {

/// Copies through a pipe, which every sandbox permits, at the cost of a few more system calls.
bool read_through_pipe(const void* address, void* to, size_t size) {
  assert(size <= PIPE_BUF && "a pipe takes this much at once, or refuses it");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const auto whole = static_cast<ssize_t>(size);
  const bool copied = write(ends[1], address, size) == whole && read(ends[0], to, size) == whole;
  close(ends[0]);
  close(ends[1]);
  return copied;
}

}  // namespace

bool safe_read(uint64_t address, void* to, size_t size) {
  iovec local{to, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (copied >= 0) return copied == static_cast<ssize_t>(size);
  // Some sandboxes forbid or lack process_vm_readv, even for the calling process itself.
  return errno != EFAULT && read_through_pipe(remote.iov_base, to, size);
}

}  // namespace heddle::runtime
