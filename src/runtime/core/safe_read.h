// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads memory at an address from a client that may be invalid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

/// Copies `size` bytes, at most PIPE_BUF, from `address` through the kernel, which checks that they are
/// readable. Returns false if they are not, or if the system offers neither process_vm_readv nor pipes; `to`
/// may have been written even then. The address is never read directly.
bool safe_read(uint64_t address, void* to, size_t size);

}  // namespace heddle::runtime
