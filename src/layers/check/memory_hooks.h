// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked in calls of functions on memory.
#pragma once

#include "layers/check/hooks.h"

namespace heddle::check {

struct AllocateRegion {
  static void after(Checker&, Call&, hsa_status_t status, hsa_region_t region, size_t size, void** address);
};
struct AllocatePool {
  static void after(Checker&, Call&, hsa_status_t status, hsa_amd_memory_pool_t pool, size_t size, uint32_t,
                    void** address);
};
struct FreeMemory {
  static void before(Checker&, Call&, void* address);
  static void after(Checker&, Call&, hsa_status_t status, void* address);
};
struct AttachMemory {
  static void after(Checker&, Call&, hsa_status_t status, const hsa_amd_ipc_memory_t*, size_t size, uint32_t,
                    const hsa_agent_t*, void** address);
};
struct MapBuffer {
  static void after(Checker&, Call&, hsa_status_t status, uint32_t, hsa_agent_t*, int, uint32_t, size_t* size,
                    void** address, size_t*, const void**);
};
struct MapVirtual {
  static void after(Checker&, Call&, hsa_status_t status, void* address, size_t size, size_t,
                    hsa_amd_vmem_alloc_handle_t, uint64_t);
};
struct UnmapVirtual {
  static void before(Checker&, Call&, void* address, size_t);
};
struct LockMemory {
  static void after(Checker&, Call&, hsa_status_t status, void* address, size_t size, hsa_agent_t*, int,
                    void**);
};
struct LockToPool {
  static void after(Checker&, Call&, hsa_status_t status, void* address, size_t size, hsa_agent_t*, int,
                    hsa_amd_memory_pool_t, uint32_t, void**);
};
struct UnlockMemory {
  static void before(Checker&, Call&, void* address);
};
struct RegisterMemory {
  static void after(Checker&, Call&, hsa_status_t status, void* address, size_t size);
};
struct DeregisterMemory {
  static void before(Checker&, Call&, void* address, size_t size);
};
struct Copy {
  static void before(Checker&, Call&, void* to, const void* from, size_t size);
};
struct Fill {
  static void before(Checker&, Call&, void* to, uint32_t, size_t words);
};

/// What hsa_amd_memory_async_copy and its relatives have in common. A copy is in flight from its start to the
/// change of its completion signal.
struct AsyncCopy {
  static void check(Checker&, Call&, void* to, const void* from, size_t size, uint32_t count,
                    const hsa_signal_t* dependencies, hsa_signal_t completion);
  static void started(Checker&, Call&, hsa_status_t status, void* to, const void* from, size_t size,
                      hsa_signal_t completion);

  template <typename... Engine>
  static void before(Checker& checker, Call& call, void* to, hsa_agent_t, const void* from, hsa_agent_t,
                     size_t size, uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t completion,
                     Engine...) {
    check(checker, call, to, from, size, count, dependencies, completion);
  }
  template <typename... Engine>
  static void after(Checker& checker, Call& call, hsa_status_t status, void* to, hsa_agent_t,
                    const void* from, hsa_agent_t, size_t size, uint32_t, const hsa_signal_t*,
                    hsa_signal_t completion, Engine...) {
    started(checker, call, status, to, from, size, completion);
  }
};
struct CopyRectangle {
  static void before(Checker&, Call&, const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset,
                     const hsa_pitched_ptr_t* from, const hsa_dim3_t* from_offset, const hsa_dim3_t* range,
                     hsa_agent_t, hsa_amd_copy_direction_t, uint32_t count, const hsa_signal_t* dependencies,
                     hsa_signal_t completion);
  static void after(Checker&, Call&, hsa_status_t status, const hsa_pitched_ptr_t* to,
                    const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from, const hsa_dim3_t* from_offset,
                    const hsa_dim3_t* range, hsa_agent_t, hsa_amd_copy_direction_t, uint32_t,
                    const hsa_signal_t*, hsa_signal_t completion);
};
struct CopyMultiple {
  static void before(Checker&, Call&, uint64_t count, size_t size, hsa_location_t* to, hsa_location_t from,
                     hsa_agent_t*, hsa_signal_t start, hsa_signal_t completion);
  static void after(Checker&, Call&, hsa_status_t status, uint64_t count, size_t size, hsa_location_t* to,
                    hsa_location_t from, hsa_agent_t*, hsa_signal_t, hsa_signal_t completion);
};

HEDDLE_CHECK_HOOK(hsa_memory_allocate, AllocateRegion)
HEDDLE_CHECK_HOOK(hsa_amd_memory_pool_allocate, AllocatePool)
HEDDLE_CHECK_HOOK(hsa_memory_free, FreeMemory)
HEDDLE_CHECK_HOOK(hsa_amd_memory_pool_free, FreeMemory)
HEDDLE_CHECK_HOOK(hsa_amd_ipc_memory_attach, AttachMemory)
HEDDLE_CHECK_HOOK(hsa_amd_ipc_memory_detach, FreeMemory)
HEDDLE_CHECK_HOOK(hsa_amd_interop_map_buffer, MapBuffer)
HEDDLE_CHECK_HOOK(hsa_amd_interop_unmap_buffer, FreeMemory)
HEDDLE_CHECK_HOOK(hsa_amd_vmem_map, MapVirtual)
HEDDLE_CHECK_HOOK(hsa_amd_vmem_unmap, UnmapVirtual)
HEDDLE_CHECK_HOOK(hsa_amd_memory_lock, LockMemory)
HEDDLE_CHECK_HOOK(hsa_amd_memory_lock_to_pool, LockToPool)
HEDDLE_CHECK_HOOK(hsa_amd_memory_unlock, UnlockMemory)
HEDDLE_CHECK_HOOK(hsa_memory_register, RegisterMemory)
HEDDLE_CHECK_HOOK(hsa_memory_deregister, DeregisterMemory)
HEDDLE_CHECK_HOOK(hsa_memory_copy, Copy)
HEDDLE_CHECK_HOOK(hsa_amd_memory_fill, Fill)
HEDDLE_CHECK_HOOK(hsa_amd_memory_async_copy, AsyncCopy)
HEDDLE_CHECK_HOOK(hsa_amd_memory_async_copy_on_engine, AsyncCopy)
HEDDLE_CHECK_HOOK(hsa_amd_memory_async_copy_rect, CopyRectangle)
HEDDLE_CHECK_HOOK(hsa_memory_copy_multiple, CopyMultiple)

}  // namespace heddle::check
