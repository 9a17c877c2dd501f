// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace heddle::cuda::remote {

/// Where host memory lies in files, so that the process of a GPU can map it. What is added does not overlap,
/// but may share pages, each of which lies in one place. Thread safe. The child of a fork must call
/// forget_parent().
class HostFiles {
 public:
  struct Place {
    int file = -1;  ///< that of whoever added it
    uint64_t offset = 0;
  };

  /// Notes memory that lies in a file, and the rest of its pages, until it is removed. `place` is that of
  /// `base`. Throws std::bad_alloc.
  void add(const void* base, uint64_t size, const Place& place);
  void remove(const void* base);
  /// Where [address, address + size) lies; nothing if not all of it is known to follow each other in one
  /// file.
  std::optional<Place> find(uint64_t address, uint64_t size) const;
  void forget_parent() noexcept;

 private:
  struct Range {
    uint64_t end;  ///< of the last page
    int file;
    uint64_t distance;  ///< of places in the file from their addresses, modulo 2^64
  };
  mutable std::mutex mutex_;
  std::map<uint64_t, Range> ranges_;  ///< by their bases
};

}  // namespace heddle::cuda::remote
