// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "runtime/amd/system_memory.h"
#include "support/align.h"
#include "support/exception_safety.h"

namespace heddle::runtime::amd {

namespace {

// Handles are not used again in a process.
std::atomic<uint64_t> last_handle{uint64_t{tag_virtual_memory} << 48};

constexpr int reserved_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// The protection of pages that all agents on the host access through the same page tables.
int protection(const VirtualMemory::Access& access) {
  int wanted = PROT_NONE;
  for (const auto& [agent, permission] : access) {
    if ((permission & HSA_ACCESS_PERMISSION_RO) != 0) wanted |= PROT_READ;
    if ((permission & HSA_ACCESS_PERMISSION_WO) != 0) wanted |= PROT_WRITE;
  }
  return wanted;
}

/// Reserves addresses at a multiple of the alignment; null if there are none.
void* reserve_aligned(size_t size, size_t alignment) {
  void* found = mmap(nullptr, size + alignment, PROT_NONE, reserved_flags, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(found);
  const uintptr_t base = align_up(begin, alignment);
  if (base != begin) munmap(found, base - begin);
  if (base != begin + alignment) munmap(reinterpret_cast<void*>(base + size), begin + alignment - base);
  return reinterpret_cast<void*>(base);
}

}  // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto& [base, mapping] : mappings_)
    (void)client_.deregister_memory(reinterpret_cast<void*>(base), 0);
  for (const auto& [base, size] : reserved_) munmap(reinterpret_cast<void*>(base), size);
}

driver::StatusOr<void*> VirtualMemory::reserve(size_t size, uint64_t address, size_t alignment) {
  if (size > SIZE_MAX / 4 || alignment > SIZE_MAX / 4) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  void* found = nullptr;
  if (address != 0 && address % alignment == 0) {
    // The system takes the address as a hint.
    found = mmap(reinterpret_cast<void*>(address), size, PROT_NONE, reserved_flags, -1, 0);
    if (found != MAP_FAILED && reinterpret_cast<uintptr_t>(found) % alignment != 0) munmap(found, size);
    if (found == MAP_FAILED || reinterpret_cast<uintptr_t>(found) % alignment != 0) found = nullptr;
  }
  if (found == nullptr) found = reserve_aligned(size, alignment);
  if (found == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::lock_guard lock(mutex_);
  try {
    reserved_.emplace(reinterpret_cast<uintptr_t>(found), size);
  } catch (const std::bad_alloc&) {
    munmap(found, size);
    throw;
  }
  return found;
}

bool VirtualMemory::is_mapped(uintptr_t begin, size_t size) const {
  const auto behind = mappings_.lower_bound(begin + size);
  if (behind == mappings_.begin()) return false;
  const auto last = std::prev(behind);
  return last->first + last->second.size > begin;
}

hsa_status_t VirtualMemory::free(void* base, size_t size) {
  std::lock_guard lock(mutex_);
  const auto found = reserved_.find(reinterpret_cast<uintptr_t>(base));
  if (found == reserved_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found->second != size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (is_mapped(found->first, size)) return HSA_STATUS_ERROR_RESOURCE_FREE;
  munmap(base, size);
  reserved_.erase(found);
  return HSA_STATUS_SUCCESS;
}

uint64_t VirtualMemory::add_memory(Descriptor file, size_t size, Properties properties) {
  const uint64_t handle = last_handle.fetch_add(1, std::memory_order_relaxed) + 1;
  auto memory = std::make_shared<Memory>(std::move(file), size, properties, handle);
  std::lock_guard lock(mutex_);
  handles_.emplace(handle, std::move(memory));
  return handle;
}

std::shared_ptr<VirtualMemory::Memory> VirtualMemory::memory_of(uint64_t handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : found->second;
}

hsa_status_t VirtualMemory::release(uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (--found->second->references == 0) handles_.erase(found);
  return HSA_STATUS_SUCCESS;
}

driver::StatusOr<uint64_t> VirtualMemory::retain(const void* address) {
  std::lock_guard lock(mutex_);
  const auto found = mapping_at(mappings_, address);
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const auto& memory = found->second.memory;
  handles_.emplace(memory->handle, memory);  // it may have had no references
  ++memory->references;
  return memory->handle;
}

driver::StatusOr<VirtualMemory::Properties> VirtualMemory::properties(uint64_t handle) const {
  std::lock_guard lock(mutex_);
  const auto memory = memory_of(handle);
  if (memory == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  return memory->properties;
}

driver::StatusOr<int> VirtualMemory::export_file(uint64_t handle) const {
  std::lock_guard lock(mutex_);
  const auto memory = memory_of(handle);
  if (memory == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const int file = fcntl(memory->file.number(), F_DUPFD_CLOEXEC, 0);
  if (file < 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return file;
}

hsa_status_t VirtualMemory::map(void* base, size_t size, size_t offset, uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(base);
  const auto memory = memory_of(handle);
  if (memory == nullptr || offset > memory->size || size > memory->size - offset)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto range = interval_at(reserved_, begin);
  if (range == reserved_.end() || size > range->second - (begin - range->first) || is_mapped(begin, size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto added = mappings_.emplace(begin, Mapping{size, memory}).first;
  bool kept = false;
  const Finally undo([&] {
    if (kept) return;
    mappings_.erase(added);
    (void)take_away(begin, size);
  });
  // Nobody has access until it is set. But pages that nobody can access cannot be locked, which some agents
  // need.
  if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory->file.number(),
           static_cast<off_t>(offset)) == MAP_FAILED)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  madvise(base, size, MADV_DONTFORK);
  const hsa_status_t status = client_.register_memory(base, size);
  if (status != HSA_STATUS_SUCCESS) return status;
  kept = mprotect(base, size, PROT_NONE) == 0;
  if (kept) return HSA_STATUS_SUCCESS;
  (void)client_.deregister_memory(base, size);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/// Removes memory from addresses, which stay reserved.
hsa_status_t VirtualMemory::take_away(uintptr_t base, size_t size) {
  void* const address = reinterpret_cast<void*>(base);
  return mmap(address, size, PROT_NONE, reserved_flags | MAP_FIXED, -1, 0) == address
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t VirtualMemory::unmap(void* base, size_t size) {
  std::lock_guard lock(mutex_);
  const auto found = mappings_.find(reinterpret_cast<uintptr_t>(base));
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found->second.size != size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // Agents let go of the memory before it is gone.
  (void)client_.deregister_memory(base, size);
  const hsa_status_t status = take_away(found->first, size);
  if (status == HSA_STATUS_SUCCESS)
    mappings_.erase(found);
  else
    (void)client_.register_memory(base, size);
  return status;
}

hsa_status_t VirtualMemory::set_access(
    void* base, size_t size, std::span<const std::pair<const Agent*, hsa_access_permission_t>> wanted) {
  std::lock_guard lock(mutex_);
  const auto found = mappings_.find(reinterpret_cast<uintptr_t>(base));
  if (found == mappings_.end()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found->second.size != size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Access access = found->second.access;
  for (const auto& [agent, permission] : wanted) access[agent] = permission;
  if (mprotect(base, size, protection(access)) != 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  found->second.access = std::move(access);
  return HSA_STATUS_SUCCESS;
}

std::optional<VirtualMemory::Description> VirtualMemory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto found = mapping_at(mappings_, address);
  if (found == mappings_.end()) return std::nullopt;
  const Mapping& mapping = found->second;
  return Description{reinterpret_cast<void*>(found->first), mapping.size, mapping.memory->properties.pool,
                     mapping.access};
}

}  // namespace heddle::runtime::amd
