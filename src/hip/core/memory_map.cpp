// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/memory_map.h"

#include <array>
#include <mutex>

#include "support/intervals.h"

namespace heddle::hip {

/// The result of a search: the allocation, if there is one, that all addresses of an interval belong to.
struct MemoryMap::Found {
  uint64_t state = 0;  ///< of the map, 0 if nothing was found yet
  uintptr_t begin = 0, last = 0;
  std::optional<Allocation> allocation;

  bool answers(uintptr_t address) const { return begin <= address && address <= last; }
};

void MemoryMap::changed() {
  static std::atomic<uint64_t> last{0};
  state_.store(last.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// Searches the map. Called with the lock.
MemoryMap::Found MemoryMap::look_up(uintptr_t address) const {
  Found found;
  found.state = state_.load(std::memory_order_relaxed);
  const auto behind = allocations_.upper_bound(address);
  found.last = behind == allocations_.end() ? UINTPTR_MAX : behind->first - 1;
  if (behind == allocations_.begin()) return found;
  const auto& [base, allocation] = *std::prev(behind);
  if (address - base >= allocation.size) {
    found.begin = base + allocation.size;
    return found;
  }
  found.begin = base;
  found.last = base + allocation.size - 1;
  found.allocation = allocation;
  return found;
}

void MemoryMap::add(const Allocation& allocation) {
  const std::unique_lock lock(mutex_);
  changed();
  allocations_.insert_or_assign(reinterpret_cast<uintptr_t>(allocation.base), allocation);
}

/// Programs copy between the same few allocations, and locks cost more than a copy of few bytes. Therefore
/// each thread keeps what it has found last, as long as the map does not change.
std::optional<Allocation> MemoryMap::find(const void* address) const {
  static thread_local constinit std::array<Found, 2> recent;
  const auto number = reinterpret_cast<uintptr_t>(address);
  const uint64_t state = state_.load(std::memory_order_acquire);
  if (state == 0) return std::nullopt;
  for (const Found& found : recent)
    if (found.state == state && found.answers(number)) return found.allocation;
  recent[1] = recent[0];
  const std::shared_lock lock(mutex_);
  recent[0] = look_up(number);
  return recent[0].allocation;
}

bool MemoryMap::set_synchronous(const void* address, bool value) {
  const std::unique_lock lock(mutex_);
  const auto found = interval_at(allocations_, reinterpret_cast<uintptr_t>(address),
                                 [](const Allocation& allocation) { return allocation.size; });
  if (found == allocations_.end()) return false;
  changed();
  found->second.synchronous = value;
  return true;
}

std::optional<Allocation> MemoryMap::take(const void* base) {
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uintptr_t>(base));
  if (found == allocations_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  changed();
  allocations_.erase(found);
  return allocation;
}

}  // namespace heddle::hip
