// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/memory_map.h"

#include <mutex>

#include "support/intervals.h"

namespace heddle::hip {

void MemoryMap::add(const Allocation& allocation) {
  const std::unique_lock lock(mutex_);
  allocations_.insert_or_assign(reinterpret_cast<uintptr_t>(allocation.base), allocation);
}

std::optional<Allocation> MemoryMap::find(const void* address) const {
  const std::shared_lock lock(mutex_);
  const auto found = interval_at(allocations_, reinterpret_cast<uintptr_t>(address),
                                 [](const Allocation& allocation) { return allocation.size; });
  return found == allocations_.end() ? std::nullopt : std::optional(found->second);
}

bool MemoryMap::set_synchronous(const void* address, bool value) {
  const std::unique_lock lock(mutex_);
  const auto found = interval_at(allocations_, reinterpret_cast<uintptr_t>(address),
                                 [](const Allocation& allocation) { return allocation.size; });
  if (found == allocations_.end()) return false;
  found->second.synchronous = value;
  return true;
}

std::optional<Allocation> MemoryMap::take(const void* base) {
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uintptr_t>(base));
  if (found == allocations_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  allocations_.erase(found);
  return allocation;
}

}  // namespace heddle::hip
