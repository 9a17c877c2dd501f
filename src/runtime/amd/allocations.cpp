// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/allocations.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "driver/log.h"

namespace heddle::runtime::amd {

namespace {

/// Changes whether the pages of an allocation can be executed. The allocation must have its pages for itself,
/// as allocations of pools have.
bool set_executable(void* base, size_t size, bool executable) {
  return mprotect(base, size, PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0)) == 0;
}

}  // namespace

hsa_status_t Allocations::allocate(const Pool& pool, size_t size, uint32_t flags, void** base) {
  if ((flags & HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG) != 0) {
    driver::log_warning("memory that is contiguous on the bus was asked for, which no pool has");
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  const bool executable = (flags & HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG) != 0;
  auto allocated = client_.allocate(*pool.region->driver, size, 1, driver::Backing::shareable);
  if (!allocated) return allocated.error();
  // The size that the driver knows is rounded up to whole pages, the granule of pools.
  if (executable && !set_executable(*allocated, client_.find(*allocated)->size, true)) {
    driver::log_warning("the system refuses memory that can be written and executed");
    (void)client_.free(*allocated);
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  try {
    std::lock_guard lock(mutex_);
    notes_.insert_or_assign(*allocated, AllocationNotes{&pool, size, executable});
    has_notes_.store(true, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    if (executable) set_executable(*allocated, client_.find(*allocated)->size, false);
    (void)client_.free(*allocated);
    throw;
  }
  *base = *allocated;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Allocations::free(void* base) {
  if (!has_notes_.load(std::memory_order_relaxed)) return client_.free(base);
  std::unique_lock lock(mutex_);
  const auto found = notes_.find(base);
  if (found == notes_.end()) {
    lock.unlock();
    return client_.free(base);
  }
  if (found->second.is_being_freed) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  found->second.is_being_freed = true;
  const auto callbacks = std::move(found->second.callbacks);
  lock.unlock();
  for (const DeallocationCallback& callback : callbacks)
    callback.function(callback.address, callback.user_data);
  lock.lock();
  const auto notes = notes_.extract(base);
  lock.unlock();
  assert(!notes.empty());  // nobody else frees it, and thus nobody allocates at this address
  // The driver uses the pages again.
  if (notes.mapped().is_executable)
    if (const auto info = client_.find(base)) set_executable(base, info->size, false);
  return client_.free(base);
}

bool Allocations::add_callback(const DeallocationCallback& callback) {
  const auto info = client_.find(callback.address);
  return info && change(info->base, [&](AllocationNotes& notes) { notes.callbacks.push_back(callback); });
}

bool Allocations::remove_callback(void* address, hsa_amd_deallocation_callback_t function) {
  const auto info = client_.find(address);
  if (!info) return false;
  std::lock_guard lock(mutex_);
  const auto found = notes_.find(info->base);
  if (found == notes_.end()) return false;
  auto& callbacks = found->second.callbacks;
  const auto last =
      std::find_if(callbacks.rbegin(), callbacks.rend(), [&](const DeallocationCallback& other) {
        return other.address == address && other.function == function;
      });
  if (last == callbacks.rend()) return false;
  callbacks.erase(std::next(last).base());
  return true;
}

std::optional<AllocationNotes> Allocations::notes(const void* base) const {
  std::lock_guard lock(mutex_);
  const auto found = notes_.find(base);
  if (found == notes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace heddle::runtime::amd
