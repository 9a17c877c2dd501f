// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation of memory, and what frees it.
#pragma once

#include "hip/core/device.h"
#include "hip/core/memory_map.h"

namespace heddle::hip {

/// Allocates memory of a device. Throws Failure (OutOfMemory).
std::byte* allocate_device_memory(Device& device, size_t size, hsa_amd_memory_pool_t pool, unsigned flags,
                                  MemoryKind kind = MemoryKind::device);

/// Allocates memory of the host, host or managed, which all devices access. Throws Failure (OutOfMemory).
std::byte* allocate_host_memory(Device& device, size_t size, MemoryKind kind, unsigned flags);

/// Frees memory of either function after its device's work. Throws Failure (InvalidValue) if the address is
/// not the first byte of such memory, or it is of another sort than the caller expects.
void free_memory(void* address, bool host);

}  // namespace heddle::hip
