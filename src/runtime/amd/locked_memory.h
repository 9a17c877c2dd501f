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

    uintptr_t begin() const { return reinterpret_cast<uintptr_t>(base); }
    bool meets(uintptr_t other, size_t bytes) const {
      return other < begin() + size && begin() < other + bytes;
    }
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
  /// Returns the greatest end of those ranges that contain the address; 0 if there are none.
  uintptr_t end_of(const void* address) const;
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

  hsa_status_t cover(uintptr_t begin, uintptr_t end);
  void uncover(const Range& range);

  driver::Client& client_;
  mutable std::mutex mutex_;
  Ranges ranges_;  ///< by base, those with the same base in the order in which they were locked
  /// What has been registered with the driver for ranges, which may overlap: pieces that do not, sizes by
  /// address. A piece is registered for as long as a range has a part of it.
  std::map<uintptr_t, size_t> pieces_;
};

}  // namespace heddle::runtime::amd
