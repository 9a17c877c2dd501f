// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small allocations of a region, such as kernel arguments, which programs typically allocate once per
// dispatch.
//
// Each slab holds blocks of one size class. All slabs lie in one reserved range of addresses, so that the
// slab of any address is found by arithmetic, without reading the address. The bookkeeping lies outside the
// slabs, so that a client that overruns a block harms no other client.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "driver/virtual_memory.h"
#include "support/fork_handler.h"

namespace heddle::driver {

class SmallHeap;

/// The reserved range of addresses. There is one per process, shared by all heaps.
class SlabArena {
 public:
  static constexpr size_t slab_size = size_t{256} << 10;

  struct Slab {
    SmallHeap* heap;
    uint32_t block_size;
    std::byte* base;
    std::vector<uint32_t> sizes;  // by block, as requested; 0: free
    std::vector<uint16_t> free;   // stack of free blocks; never exceeds its initial capacity
    bool listed;                  // is in its class's list of slabs with free blocks
  };

  static SlabArena& instance();
  /// Returns null when the range is used up.
  Slab* create(SmallHeap& heap, uint32_t block_size);
  void destroy(Slab* slab);
  /// Returns the slab that contains the address, or null.
  Slab* find(const void* address) const;

 private:
  SlabArena();
  void forget_parent() noexcept;

  Mapping range_;
  Mapping table_;  // std::atomic<Slab*> by slab number
  size_t count_ = 0;
  std::mutex mutex_;
  size_t used_ = 0;
  std::vector<size_t> free_;

  const ForkHandler fork_handler_{
      [](void* arena) noexcept { static_cast<SlabArena*>(arena)->forget_parent(); }, this};

  std::atomic<Slab*>& entry(size_t index) const {
    return reinterpret_cast<std::atomic<Slab*>*>(table_.base())[index];
  }
};

/// The small allocations of one region of one client.
class SmallHeap {
 public:
  static constexpr size_t largest = size_t{32} << 10;

  /// `owner` identifies the heap to the callers of find().
  explicit SmallHeap(const void* owner) : owner_(owner) {}
  SmallHeap(const SmallHeap&) = delete;
  ~SmallHeap();

  const void* owner() const { return owner_; }
  /// Returns null if size or alignment is too large for a slab, or memory is exhausted. The memory is not
  /// zeroed.
  void* allocate(size_t size, size_t alignment);

  struct Block {
    SmallHeap* heap;
    void* base;
    size_t size;
  };
  /// Finds the live block of any heap that contains the address. Does not read the address.
  static std::optional<Block> find(const void* address);
  /// Returns false unless `base` is the base of a live block.
  static bool free(void* base);
  /// Returns the base of some live block of this heap, or null if there is none.
  void* any_block();

 private:
  friend class SlabArena;
  static constexpr size_t class_count = 18;  // 64 to 32768, as in class_size()
  struct Class {
    std::mutex mutex;
    std::vector<SlabArena::Slab*> with_room;  // has capacity for all slabs
    std::vector<std::unique_ptr<SlabArena::Slab>> all;
  };
  static size_t class_size(size_t index);

  const void* const owner_;
  std::array<Class, class_count> classes_;
};

}  // namespace heddle::driver
