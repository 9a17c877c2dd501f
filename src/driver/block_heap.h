// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of pools: allocations of whole pages that other processes can map.
//
// Blocks of 2 MiB are cut into fragments, so that most allocations and releases need no help from the system.
// A block of which all fragments are free is kept for the next allocation; only when there are many of them,
// or when memory is short, blocks go back to the system. Larger allocations have memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "driver/driver.h"
#include "driver/shared_file.h"

namespace heddle::driver {

/// The heap of one client. Thread safe.
class BlockHeap {
 public:
  static constexpr size_t block_size = shareable_block_size;

  /// `where` says where the memory gets its addresses.
  explicit BlockHeap(Where where = Where::anywhere) : where_(where) {}
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  /// Allocates `size` bytes, a multiple of the page size, at a multiple of `alignment`, a power of 2. Returns
  /// null, with errno, if the system has no memory. The memory is not zeroed.
  std::byte* allocate(size_t size, size_t alignment);
  /// Frees an allocation of this heap.
  void free(std::byte* base);
  /// Returns where in the file an allocation begins.
  uint64_t offset_of(const std::byte* base) const;
  SharedFile& file() { return file_; }
  const SharedFile& file() const { return file_; }
  /// Gives the memory of all free blocks back to the system.
  void trim();

  struct Usage {
    size_t blocks = 0;         ///< that have fragments in use
    size_t cached_blocks = 0;  ///< that are kept although they are free
    size_t large = 0;          ///< allocations with memory of their own
  };
  Usage usage() const;

 private:
  struct Block;
  using BySize = std::multimap<size_t, std::pair<Block*, size_t>>;
  struct Fragment {
    size_t size = 0;
    bool is_free = true;
    BySize::iterator indexed{};  ///< while it is free: its entry in free_
    BySize::node_type entry{};   ///< while it is in use: that entry, so that freeing needs no memory
  };
  /// A block is cut up completely: its fragments, by offset, follow each other without gaps.
  struct Block {
    SharedMapping memory;
    uint64_t offset = 0;  ///< in the file
    std::map<size_t, Fragment> fragments;
  };
  struct Large {
    SharedMapping memory;
    uint64_t offset = 0;
  };

  std::byte* allocate_large(size_t size, size_t alignment);
  std::optional<std::pair<Block*, size_t>> find_fragment(size_t size, size_t alignment) const;
  std::byte* take(Block& block, size_t offset, size_t size);
  Block* add_block();
  void add_free(Block& block, size_t offset, size_t size);
  void resize_free(Block& block, size_t offset, size_t size);
  void free_fragment(Block& block, size_t offset);
  std::unique_ptr<Block> new_block();
  void retire(Block& block);
  void release(std::unique_ptr<Block> block);
  Block* block_of(const std::byte* address) const;

  static constexpr size_t most_cached = 16;

  const Where where_;
  SharedFile file_;  // first: mappings and ranges of it end before it does
  mutable std::mutex mutex_;
  std::map<uintptr_t, std::unique_ptr<Block>> blocks_;  ///< in use, by address
  std::vector<std::unique_ptr<Block>> cached_;          ///< free, without fragments
  std::map<uintptr_t, Large> large_;                    ///< by address
  BySize free_;                                         ///< the free fragments of blocks_
};

}  // namespace heddle::driver
