// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace heddle::cuda::remote {

/// Where host memory lies in files, so that the process of a GPU can map it. Thread safe. The child of a fork
/// must call forget_parent().
class HostFiles {
 public:
  struct Place {
    int file = -1;  ///< that of whoever added it
    uint64_t offset = 0;
  };

  /// Notes memory that lies in a file, until it is removed. Throws std::bad_alloc.
  void add(const void* base, uint64_t size, const Place& place);
  void remove(const void* base);
  /// Where [address, address + size) lies; nothing if not all of it is known to lie in one file.
  std::optional<Place> find(uint64_t address, uint64_t size) const;
  void forget_parent() noexcept;

 private:
  struct Range {
    uint64_t size;
    Place place;
  };
  mutable std::mutex mutex_;
  std::map<uint64_t, Range> ranges_;
};

}  // namespace heddle::cuda::remote
