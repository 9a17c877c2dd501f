// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/virtual_memory.h"

#include <algorithm>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

// The numbers of HSA's handles are never used again, so that they are good handles of HIP, too.
VirtualMemory::Handle handle_of(hsa_amd_vmem_alloc_handle_t handle) {
  return reinterpret_cast<VirtualMemory::Handle>(handle.handle);
}

/// As hipErrorInvalidValue is what HIP knows for bad arguments.
void check_arguments(hsa_status_t status, const char* what) { check(status, what, hipErrorInvalidValue); }

hsa_access_permission_t permission_of(hipMemAccessFlags flags) {
  if (flags == hipMemAccessFlagsProtNone) return HSA_ACCESS_PERMISSION_NONE;
  return flags == hipMemAccessFlagsProtRead ? HSA_ACCESS_PERMISSION_RO : HSA_ACCESS_PERMISSION_RW;
}

}  // namespace

size_t granularity_of(const Device& device, hipMemAllocationGranularity_flags option) {
  const auto attribute = option == hipMemAllocationGranularityRecommended
                             ? HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE
                             : HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE;
  size_t granule = 0;
  check(hsa_amd_memory_pool_get_info(device.pool(), attribute, &granule), "hsa_amd_memory_pool_get_info");
  return granule;
}

VirtualMemory::Handle VirtualMemory::add(hsa_amd_vmem_alloc_handle_t handle,
                                         const hipMemAllocationProp& properties) {
  try {
    const std::scoped_lock lock(mutex_);
    memories_.emplace(handle_of(handle), std::make_shared<Memory>(Memory{handle, properties}));
  } catch (...) {
    hsa_amd_vmem_handle_release(handle);
    throw;
  }
  return handle_of(handle);
}

VirtualMemory::Handle VirtualMemory::create(const Device& device, size_t size,
                                            const hipMemAllocationProp& properties) {
  size_t largest = 0;
  hsa_amd_memory_pool_get_info(device.pool(), HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, &largest);
  if (size > largest) throw Failure(hipErrorOutOfMemory, "the device never has so much memory");
  hsa_amd_vmem_alloc_handle_t handle{};
  const hsa_status_t status = hsa_amd_vmem_handle_create(device.pool(), size, MEMORY_TYPE_PINNED, 0, &handle);
  if (status == HSA_STATUS_ERROR_INVALID_ALLOCATION)
    throw Failure(hipErrorNotSupported, "memory of this device cannot be without an address");
  check_arguments(status, "hsa_amd_vmem_handle_create");
  return add(handle, properties);
}

VirtualMemory::Handle VirtualMemory::import(const Device& device, int file) {
  hsa_amd_vmem_alloc_handle_t handle{};
  check_arguments(hsa_amd_vmem_import_shareable_handle(file, &handle),
                  "hsa_amd_vmem_import_shareable_handle");
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  properties.location = {hipMemLocationTypeDevice, device.number()};
  return add(handle, properties);
}

const std::shared_ptr<VirtualMemory::Memory>& VirtualMemory::find(Handle handle) const {
  const auto found = memories_.find(handle);
  if (found == memories_.end()) throw Failure(hipErrorInvalidValue, "this is no handle of memory");
  return found->second;
}

int VirtualMemory::export_file(Handle handle) const {
  const std::scoped_lock lock(mutex_);
  const Memory& memory = *find(handle);
  if (memory.properties.requestedHandleType != hipMemHandleTypePosixFileDescriptor)
    throw Failure(hipErrorInvalidValue, "the memory was not created for handles that can be shared");
  int file = -1;
  check_arguments(hsa_amd_vmem_export_shareable_handle(&file, memory.handle, 0),
                  "hsa_amd_vmem_export_shareable_handle");
  return file;
}

void VirtualMemory::release(Handle handle) {
  const std::scoped_lock lock(mutex_);
  const auto memory = find(handle);
  check_arguments(hsa_amd_vmem_handle_release(memory->handle), "hsa_amd_vmem_handle_release");
  if (--memory->references == 0) memories_.erase(handle);
}

VirtualMemory::Handle VirtualMemory::retain(void* address) {
  hsa_amd_vmem_alloc_handle_t handle{};
  const std::scoped_lock lock(mutex_);
  check_arguments(hsa_amd_vmem_retain_alloc_handle(&handle, address), "hsa_amd_vmem_retain_alloc_handle");
  const auto is_it = [&](const auto& entry) { return entry.second.memory->handle.handle == handle.handle; };
  const auto mapping = std::ranges::find_if(mappings_, is_it);
  if (mapping == mappings_.end()) {
    hsa_amd_vmem_handle_release(handle);
    throw Failure(hipErrorInvalidValue, "the program has mapped this memory past HIP");
  }
  const auto& memory = mapping->second.memory;
  memories_.emplace(handle_of(handle), memory);  // it may have had no references
  ++memory->references;
  return handle_of(handle);
}

hipMemAllocationProp VirtualMemory::properties(Handle handle) const {
  const std::scoped_lock lock(mutex_);
  return find(handle)->properties;
}

/// Tells the map of all memory what is at the addresses of a mapping, and what the host may do there: what
/// any device may do (hsa_amd_vmem_set_access).
void VirtualMemory::enter(const Mappings::value_type& mapping) {
  const auto& [base, rest] = mapping;
  Allocation allocation{base, rest.size, MemoryKind::mapped, rest.memory->properties.location.id, 0, base};
  const auto any = [&](hipMemAccessFlags flag) {
    return std::ranges::any_of(rest.access, [&](const auto& one) { return (one.second & flag) == flag; });
  };
  allocation.readable = any(hipMemAccessFlagsProtRead);
  allocation.writable = any(hipMemAccessFlagsProtReadWrite);
  Runtime::get().memory().add(allocation);
}

void VirtualMemory::map(void* address, size_t size, Handle handle) {
  const std::scoped_lock lock(mutex_);
  const auto memory = find(handle);
  check_arguments(hsa_amd_vmem_map(address, size, 0, memory->handle, 0), "hsa_amd_vmem_map");
  try {
    const auto added = mappings_.emplace(static_cast<std::byte*>(address), Mapping{size, memory}).first;
    enter(*added);
  } catch (...) {
    mappings_.erase(static_cast<std::byte*>(address));
    hsa_amd_vmem_unmap(address, size);
    throw;
  }
}

std::vector<VirtualMemory::Mappings::iterator> VirtualMemory::mappings_of(void* address, size_t size) {
  std::vector<Mappings::iterator> range;
  auto* next = static_cast<std::byte*>(address);
  for (size_t rest = size; rest != 0; rest -= range.back()->second.size, next += range.back()->second.size) {
    const auto found = mappings_.find(next);
    if (found == mappings_.end() || found->second.size > rest) {
      range.clear();
      break;
    }
    range.push_back(found);
  }
  if (range.empty()) throw Failure(hipErrorInvalidValue, "the range does not consist of whole mappings");
  return range;
}

void VirtualMemory::unmap(void* address, size_t size) {
  Runtime::synchronize_all();
  const std::scoped_lock lock(mutex_);
  for (const auto mapping : mappings_of(address, size)) {
    check_arguments(hsa_amd_vmem_unmap(mapping->first, mapping->second.size), "hsa_amd_vmem_unmap");
    Runtime::get().memory().take(mapping->first);
    mappings_.erase(mapping);
  }
}

bool VirtualMemory::is_in_use(void* address, size_t size) {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(mappings_of(address, size),
                             [](const auto& mapping) { return !mapping->second.access.empty(); });
}

void VirtualMemory::set_access(void* address, size_t size, std::span<const DeviceAccess> wanted) {
  std::vector<hsa_amd_memory_access_desc_t> descriptions;
  for (const auto& [device, flags] : wanted) descriptions.push_back({permission_of(flags), device->agent()});
  if (is_in_use(address, size)) Runtime::synchronize_all();
  const std::scoped_lock lock(mutex_);
  for (const auto& mapping : mappings_of(address, size)) {
    auto access = mapping->second.access;
    for (const auto& [device, flags] : wanted) access[device] = flags;
    check_arguments(hsa_amd_vmem_set_access(mapping->first, mapping->second.size, descriptions.data(),
                                            descriptions.size()),
                    "hsa_amd_vmem_set_access");
    mapping->second.access = std::move(access);
    enter(*mapping);
  }
}

hipMemAccessFlags VirtualMemory::access(void* address, const Device& device) const {
  const std::scoped_lock lock(mutex_);
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
  check_arguments(hsa_amd_vmem_get_access(address, &permission, device.agent()), "hsa_amd_vmem_get_access");
  if (permission == HSA_ACCESS_PERMISSION_NONE) return hipMemAccessFlagsProtNone;
  return permission == HSA_ACCESS_PERMISSION_RO ? hipMemAccessFlagsProtRead : hipMemAccessFlagsProtReadWrite;
}

void VirtualMemory::release(const Device& device) {
  const std::scoped_lock lock(mutex_);
  const auto is_of_device = [&](const Memory& memory) {
    return memory.properties.location.id == device.number();
  };
  std::erase_if(mappings_, [&](const auto& mapping) {
    if (!is_of_device(*mapping.second.memory)) return false;
    hsa_amd_vmem_unmap(mapping.first, mapping.second.size);
    Runtime::get().memory().take(mapping.first);
    return true;
  });
  std::erase_if(memories_, [&](const auto& entry) {
    if (!is_of_device(*entry.second)) return false;
    for (size_t i = 0; i < entry.second->references; ++i) hsa_amd_vmem_handle_release(entry.second->handle);
    return true;
  });
}

}  // namespace heddle::hip
