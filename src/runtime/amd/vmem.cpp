// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions for virtual memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include "driver/log.h"
#include "runtime/amd/state.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

bool is_whole_pages(uint64_t size) { return size % amd::page_size() == 0; }
bool is_size(size_t size) { return size != 0 && is_whole_pages(size); }

bool is_type(hsa_amd_memory_type_t type) { return type == MEMORY_TYPE_NONE || type == MEMORY_TYPE_PINNED; }

bool is_permission(hsa_access_permission_t permission) {
  return static_cast<unsigned>(permission) <= HSA_ACCESS_PERMISSION_RW;
}

/// The pool that imported memory counts as one of; null if the host has no such pool.
const Pool* pool_of_imports(const Topology& topology) {
  for (const Pool* pool : topology.host()->pools)
    if ((pool->description().global_flags & HSAM_GLOBAL_FLAG_COARSE_GRAINED) != 0) return pool;
  return nullptr;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags) {
  return functions::hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags) {
  return api::guard([&](Runtime& runtime) {
    if (va == nullptr || !is_size(size) || !is_whole_pages(address) || flags != 0 ||
        (alignment != 0 && (!std::has_single_bit(alignment) || !is_whole_pages(alignment))))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto reserved =
        runtime.amd().virtual_memory.reserve(size, address, std::max<size_t>(alignment, amd::page_size()));
    if (!reserved) return reserved.error();
    *va = *reserved;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size) {
  return api::guard([&](Runtime& runtime) { return runtime.amd().virtual_memory.free(va, size); });
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle) {
  return api::guard([&](Runtime& runtime) {
    if (memory_handle == nullptr || !is_size(size) || !is_type(type) || flags != 0)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* found = runtime.topology().pool(pool);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    const hsam_region_description& region = found->description();
    if (region.runtime_alloc_allowed == 0 || region.memory_id >= HSAM_MEMORY_AGENT_FIRST ||
        size > region.alloc_max_size)
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    auto file = heddle::driver::create_memory_file("heddle virtual memory", size, F_SEAL_GROW | F_SEAL_SEAL);
    if (!file) {
      heddle::driver::log_error("no memory of {} bytes: {}", size, std::generic_category().message(errno));
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    memory_handle->handle = runtime.amd().virtual_memory.add_memory(std::move(file), size, {found, type});
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  return api::guard(
      [&](Runtime& runtime) { return runtime.amd().virtual_memory.release(memory_handle.handle); });
}

hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset,
                              hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags) {
  return api::guard([&](Runtime& runtime) {
    if (!is_size(size) || !is_whole_pages(in_offset) || !is_whole_pages(reinterpret_cast<uintptr_t>(va)) ||
        flags != 0)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.amd().virtual_memory.map(va, size, in_offset, memory_handle.handle);
  });
}

hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  return api::guard([&](Runtime& runtime) { return runtime.amd().virtual_memory.unmap(va, size); });
}

hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc,
                                     size_t desc_cnt) {
  return api::guard([&](Runtime& runtime) {
    if (desc == nullptr || desc_cnt == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<std::pair<const Agent*, hsa_access_permission_t>> wanted;
    for (const hsa_amd_memory_access_desc_t& one : std::span(desc, desc_cnt)) {
      const Agent* agent = runtime.topology().agent(one.agent_handle);
      if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
      if (!is_permission(one.permissions)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      wanted.emplace_back(agent, one.permissions);
    }
    return runtime.amd().virtual_memory.set_access(va, size, wanted);
  });
}

hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms, hsa_agent_t agent_handle) {
  return api::guard([&](Runtime& runtime) {
    const Agent* agent = runtime.topology().agent(agent_handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (perms == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto mapping = runtime.amd().virtual_memory.find(va);
    if (!mapping) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    const auto access = mapping->access.find(agent);
    *perms = access == mapping->access.end() ? HSA_ACCESS_PERMISSION_NONE : access->second;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle,
                                                  uint64_t flags) {
  return api::guard([&](Runtime& runtime) {
    if (dmabuf_fd == nullptr || flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto file = runtime.amd().virtual_memory.export_file(handle.handle);
    if (!file) return file.error();
    *dmabuf_fd = *file;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle) {
  return api::guard([&](Runtime& runtime) {
    if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* pool = pool_of_imports(runtime.topology());
    const size_t size = heddle::driver::size_of_memory_file(dmabuf_fd).value_or(0);
    if (pool == nullptr || !is_size(size)) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    // What cannot be mapped for reading and writing is found out now and not when it is mapped.
    void* probe = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, dmabuf_fd, 0);
    if (probe == MAP_FAILED) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    munmap(probe, size);
    heddle::Descriptor file(fcntl(dmabuf_fd, F_DUPFD_CLOEXEC, 0));
    if (!file) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    handle->handle = runtime.amd().virtual_memory.add_memory(std::move(file), size, {pool, MEMORY_TYPE_NONE});
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr) {
  return api::guard([&](Runtime& runtime) {
    if (memory_handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto handle = runtime.amd().virtual_memory.retain(addr);
    if (!handle) return handle.error();
    memory_handle->handle = *handle;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                           hsa_amd_memory_pool_t* pool,
                                                           hsa_amd_memory_type_t* type) {
  return api::guard([&](Runtime& runtime) {
    if (pool == nullptr || type == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto properties = runtime.amd().virtual_memory.properties(memory_handle.handle);
    if (!properties) return properties.error();
    *pool = properties->pool->handle;
    *type = properties->type;
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
