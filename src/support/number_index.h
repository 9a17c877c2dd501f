// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// Finds the numbers of elements, which are somebody else's, by hashes of their keys: a hash table with open
/// addressing that needs 8 bytes for an entry and looks at one cache line for most questions. Not thread
/// safe.
class NumberIndex {
 public:
  /// Makes room for `count` numbers in all. `hash_of(number)` returns the hash of a number that was inserted.
  /// If this throws std::bad_alloc, the index is unchanged.
  template <typename HashOf>
  void reserve(size_t count, HashOf hash_of) {
    if (count * 4 <= entries_.size() * 3) return;
    std::vector<Entry> old(std::bit_ceil(count * 4 / 3 + 8));
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.number != none) put(hash_of(entry.number), entry.number);
  }

  /// Adds a number, for which reserve() has made room. Numbers of one key are found in any order.
  void insert(size_t hash, uint32_t number) noexcept {
    assert(number != none && (size_ + 1) * 4 <= entries_.size() * 3);
    put(hash, number);
    ++size_;
  }

  /// Returns the number with the hash for which `is_wanted(number)` holds.
  template <typename IsWanted>
  std::optional<uint32_t> find(size_t hash, IsWanted is_wanted) const {
    if (entries_.empty()) return std::nullopt;
    for (size_t at = first(hash);; at = next(at)) {
      const Entry& entry = entries_[at];
      if (entry.number == none) return std::nullopt;
      if (entry.tag == tag_of(hash) && is_wanted(entry.number)) return entry.number;
    }
  }

  /// Removes all numbers and keeps the room.
  void clear() noexcept {
    for (Entry& entry : entries_) entry = {};
    size_ = 0;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Entry {
    uint32_t tag = 0;
    uint32_t number = none;
  };

  static uint32_t tag_of(size_t hash) { return static_cast<uint32_t>(hash >> 32); }
  size_t first(size_t hash) const { return hash & (entries_.size() - 1); }
  size_t next(size_t at) const { return (at + 1) & (entries_.size() - 1); }

  void put(size_t hash, uint32_t number) noexcept {
    size_t at = first(hash);
    while (entries_[at].number != none) at = next(at);
    entries_[at] = {tag_of(hash), number};
  }

  std::vector<Entry> entries_;  ///< a power of two of them, at most three quarters of which are used
  size_t size_ = 0;
};

}  // namespace heddle
