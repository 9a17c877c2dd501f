// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace heddle::cuda {

/// Ranges of addresses that nobody uses. Neighbours are one range. Not thread safe. Throws std::bad_alloc.
class FreeRanges {
 public:
  FreeRanges() = default;
  FreeRanges(uint64_t begin, uint64_t size) { give(begin, size); }

  /// Takes `size` bytes at a multiple of `alignment` (a power of 2), at the lowest address where they are.
  std::optional<uint64_t> take(uint64_t size, uint64_t alignment);
  /// Gives a range that was taken back.
  void give(uint64_t begin, uint64_t size);
  /// Whether this whole range is free.
  bool contains(uint64_t begin, uint64_t size) const;

 private:
  std::map<uint64_t, uint64_t> ranges_;  ///< begin and size
};

}  // namespace heddle::cuda
