// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the operating system that clients have locked.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "driver/driver.h"
#include "runtime/core/topology.h"

namespace heddle::runtime::amd {

/// The locked ranges of one client. Thread safe.
class LockedMemory {
 public:
  struct Range {
    void* base = nullptr;
    size_t size = 0;
    const Pool* pool = nullptr;        ///< whose coherence it has; null: not said
    std::vector<const Agent*> agents;  ///< empty: all
    void* user_data = nullptr;
    bool is_registered_here = false;  ///< the lock has registered it with the driver
  };

  explicit LockedMemory(driver::Client& client) : client_(client) {}
  LockedMemory(const LockedMemory&) = delete;
  LockedMemory& operator=(const LockedMemory&) = delete;

  /// OUT_OF_RESOURCES if there is no memory in a part of the range, or an agent refuses it.
  hsa_status_t lock(void* base, size_t size, const Pool* pool, std::vector<const Agent*> agents);
  /// Undoes the last lock of the range that begins at `base`; does nothing if there is none.
  void unlock(void* base);
  /// Returns a copy of the range that contains the address; of several, the one that was locked last.
  std::optional<Range> find(const void* address) const;
  /// Returns whether a range contains the address.
  bool set_user_data(const void* address, void* user_data);

 private:
  using Ranges = std::multimap<uintptr_t, Range>;
  /// Returns the last range that contains the address, or the end.
  template <typename R>
  static auto containing(R& ranges, const void* address) {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    auto range = ranges.upper_bound(wanted);
    while (range != ranges.begin()) {
      --range;
      if (wanted - range->first < range->second.size) return range;
    }
    return ranges.end();
  }

  driver::Client& client_;
  mutable std::mutex mutex_;
  Ranges ranges_;  ///< by base, those with the same base in the order in which they were locked
};

}  // namespace heddle::runtime::amd
