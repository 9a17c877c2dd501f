// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address ranges and memory for agent drivers (MVA 2.10). Sizes are in bytes and rounded up to pages. All
// functions return HSAM_Invalid for a size that is not positive, a null output, or a range that these
// functions did not provide.
//
// "Physical" memory is a range of one anonymous file: its address is an opaque number, it can be mapped in
// several places at once, and it is contiguous in that file, not on the bus.
#pragma once

#include <hsam/hsam.h>

#include <cstddef>
#include <cstdint>

namespace heddle::driver::agent_memory {

/// Reserves addresses without memory.
HSAM_Error reserve(int64_t client, int32_t size, void** address);
HSAM_Error unreserve(int64_t client, void* address, int32_t size);
/// Allocates memory that the system may page out, or, for safe_to_access, may not.
HSAM_Error allocate(int64_t client, int32_t size, void** address);
HSAM_Error allocate_safe_to_access(int64_t client, int32_t size, void** address);
HSAM_Error free(int64_t client, void* address);
/// Maps physical memory.
HSAM_Error map(int64_t client, int32_t size, void* physical, void** address);
HSAM_Error unmap(int64_t client, void* address, int32_t size);
HSAM_Error allocate_physical(int64_t client, int32_t size, void** physical);
HSAM_Error free_physical(int64_t client, void* physical, int32_t size);

/// The same functions for larger sizes.
namespace large {
HSAM_Error reserve(int64_t client, uint64_t size, void** address);
HSAM_Error unreserve(int64_t client, void* address, uint64_t size);
HSAM_Error allocate(int64_t client, uint64_t size, void** address);
HSAM_Error allocate_safe_to_access(int64_t client, uint64_t size, void** address);
HSAM_Error map(int64_t client, uint64_t size, void* physical, void** address);
HSAM_Error unmap(int64_t client, void* address, uint64_t size);
HSAM_Error allocate_physical(int64_t client, uint64_t size, void** physical);
HSAM_Error free_physical(int64_t client, void* physical, uint64_t size);
}  // namespace large

/// Lets reserved addresses be accessed, if the pages from `begin` on lie in one reservation. Other addresses
/// are left as they are.
void open_reservation(uintptr_t begin, size_t size);

}  // namespace heddle::driver::agent_memory
