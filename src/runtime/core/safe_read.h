// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading memory at an address that a client gave and that may be none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

/// Copies `size` bytes, PIPE_BUF at most, from `address` through the kernel, which refuses what cannot be
/// read. False if it does, or if the system offers neither process_vm_readv nor a pipe; the address is never
/// read in any other way. `to` may be changed even then.
bool safe_read(uint64_t address, void* to, size_t size);

}  // namespace heddle::runtime
