// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/allocate.h"

#include <fmt/format.h>

#include "hip/core/failure.h"
#include "hip/core/graph_memory.h"
#include "hip/core/log.h"
#include "hip/core/memory_pool.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

std::byte* allocate(hsa_amd_memory_pool_t pool, size_t size) {
  void* address = nullptr;
  const hsa_status_t status = hsa_amd_memory_pool_allocate(pool, size, 0, &address);
  if (status != HSA_STATUS_SUCCESS)
    throw Failure(hipErrorOutOfMemory,
                  fmt::format("{} bytes cannot be allocated: {}", size, text_of(status)));
  return static_cast<std::byte*>(address);
}

/// Enters memory into the map, and frees it if that fails.
std::byte* noted(const Allocation& allocation) {
  try {
    Runtime::get().memory().add(allocation);
  } catch (...) {
    hsa_amd_memory_pool_free(allocation.base);
    throw;
  }
  if (logs(LogLevel::debug, log_memory))
    log(LogLevel::debug, log_memory,
        fmt::format("allocated {} bytes at {}", allocation.size, fmt::ptr(allocation.base)));
  return allocation.base;
}

}  // namespace

std::byte* allocate_device_memory(Device& device, size_t size, hsa_amd_memory_pool_t pool, unsigned flags,
                                  MemoryKind kind) {
  std::byte* const address = allocate(pool, size);
  const auto agents = Runtime::get().agents_with_access(device);
  if (agents.size() > 1)
    hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr, address);
  return noted({address, size, kind, device.number(), flags, address});
}

std::byte* allocate_host_memory(Device& device, size_t size, MemoryKind kind, unsigned flags) {
  const auto& agents = Runtime::get().agents();
  std::byte* const address = allocate(Runtime::get().host_pool(), size);
  const hsa_status_t status =
      hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr, address);
  if (status != HSA_STATUS_SUCCESS) {
    hsa_amd_memory_pool_free(address);
    check(status, "hsa_amd_agents_allow_access");
  }
  return noted({address, size, kind, device.number(), flags, address});
}

void free_memory(void* address, bool host) {
  if (address == nullptr) return;
  MemoryMap& map = Runtime::get().memory();
  const auto found = map.find(address);
  const auto freed_so = [&](MemoryKind kind) {
    return host ? kind == MemoryKind::host
                : kind == MemoryKind::device || kind == MemoryKind::managed || kind == MemoryKind::pooled ||
                      kind == MemoryKind::graph;
  };
  const bool fits = found && found->base == address && (freed_so(found->kind) || (!host && found->freeable));
  if (!fits)
    throw Failure(hipErrorInvalidValue, "the address is not the first byte of memory of the right kind");
  // Work may still use the memory; what a failed device left behind is freed all the same.
  Device& device = Runtime::get().device(found->device);
  if (found->on_host())
    Runtime::synchronize_all();
  else if (device.failure() == hipSuccess)
    device.synchronize();
  if (found->freeable) {
    Runtime::get().imported_memory().close(found->base);
    return;
  }
  if (found->kind == MemoryKind::graph) {
    free_graph_memory(address, nullptr);
    return;
  }
  if (!map.take(address)) return;
  if (found->kind == MemoryKind::managed) Runtime::get().advice().forget(found->base, found->size);
  if (found->kind == MemoryKind::pooled)
    found->pool->free(found->base, nullptr);
  else
    check(hsa_amd_memory_pool_free(address), "hsa_amd_memory_pool_free", hipErrorInvalidValue);
}

}  // namespace heddle::hip
