// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clients have said about single allocations: the pool they are from, the agents that access them, a
// value of their own, and what is to be called when they are freed. The memory itself is the driver's
// (driver/driver.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include <hsa/hsa_ext_amd.h>

#include "driver/driver.h"
#include "runtime/core/topology.h"

namespace heddle::runtime::amd {

/// A function that is called when the allocation that contains an address is freed.
struct DeallocationCallback {
  void* address = nullptr;
  hsa_amd_deallocation_callback_t function = nullptr;
  void* user_data = nullptr;
};

/// What is known of an allocation beside the driver's MemoryInfo.
struct AllocationNotes {
  const Pool* pool = nullptr;              ///< null: it is from a region
  size_t size = 0;                         ///< as requested; 0: it is from a region
  bool is_executable = false;              ///< its pages can be executed
  std::vector<const Agent*> allowed = {};  ///< by hsa_amd_agents_allow_access; empty: it has not been called
  void* user_data = nullptr;
  std::vector<DeallocationCallback> callbacks = {};
  bool is_being_freed = false;  ///< the callbacks are under way
};

/// The allocations of one client. Thread safe.
class Allocations {
 public:
  explicit Allocations(driver::Client& client) : client_(client) {}
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  /// Implements hsa_amd_memory_pool_allocate for a pool that clients may allocate from and for flags that the
  /// extension defines.
  hsa_status_t allocate(const Pool& pool, size_t size, uint32_t flags, void** base);
  /// Calls the callbacks of an allocation and frees it, whether it is from a pool or from a region; null is
  /// ignored. INVALID_ARGUMENT for anything but the base of an allocation, and inside of its callbacks.
  hsa_status_t free(void* base);
  /// Return false if no allocation contains the address of the callback, or there is no such callback.
  bool add_callback(const DeallocationCallback& callback);
  bool remove_callback(void* address, hsa_amd_deallocation_callback_t function);
  /// Returns a copy of the notes about the allocation that begins at `base`; empty if there are none.
  std::optional<AllocationNotes> notes(const void* base) const;
  /// Calls `change(notes)` under the lock, if an allocation of the driver begins at `base`. Returns whether
  /// it does.
  template <typename Change>
  bool change(void* base, Change change) {
    const auto info = client_.find(base);
    if (!info || info->base != base || info->kind != driver::MemoryInfo::Kind::allocated) return false;
    std::lock_guard lock(mutex_);
    change(notes_[base]);
    has_notes_.store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  driver::Client& client_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, AllocationNotes> notes_;  ///< by base
  std::atomic<bool> has_notes_{false};  ///< once set, it stays: programs without pools take no lock to free
};

}  // namespace heddle::runtime::amd
