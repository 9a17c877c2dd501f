// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small allocations of a region: kernel arguments and the like, of which programs make one for each dispatch.
//
// Slabs of one size class each lie in one reserved range of addresses, so that the slab of an address is
// found by arithmetic, and any address whatever can be asked for. The bookkeeping lies outside the slabs:
// what user code overruns harms no other client.
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

/// The reserved range; one for the process, shared by all heaps.
class SlabArena {
 public:
  static constexpr size_t slab_size = size_t{256} << 10;

  struct Slab {
    SmallHeap* heap;
    uint32_t block_size;
    std::byte* base;
    std::vector<uint32_t> sizes;  // by block, as asked for; 0 = free
    std::vector<uint16_t> free;   // stack of free blocks; never grows beyond what it was made with
    bool listed;                  // in its class's list of slabs with room
  };

  static SlabArena& instance();
  /// Null when the range is used up.
  Slab* create(SmallHeap& heap, uint32_t block_size);
  void destroy(Slab* slab);
  /// The slab that contains the address; null for any other address.
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

  /// `owner` is what find() gives for blocks of this heap.
  explicit SmallHeap(const void* owner) : owner_(owner) {}
  SmallHeap(const SmallHeap&) = delete;
  ~SmallHeap();

  const void* owner() const { return owner_; }
  /// Null if size or alignment is too large for a slab, or memory is exhausted. Not zeroed.
  void* allocate(size_t size, size_t alignment);

  struct Block {
    SmallHeap* heap;
    void* base;
    size_t size;
  };
  /// The live block that contains the address, of any heap. Does not read the address.
  static std::optional<Block> find(const void* address);
  /// False unless `base` is the base of a live block.
  static bool free(void* base);
  /// The base of some live block of this heap, null if there is none.
  void* any_block();

 private:
  friend class SlabArena;
  static constexpr size_t class_count = 18;  // 64 to 32768: see class_size
  struct Class {
    std::mutex mutex;
    std::vector<SlabArena::Slab*> with_room;  // has room for all
    std::vector<std::unique_ptr<SlabArena::Slab>> all;
  };
  static size_t class_size(size_t index);

  const void* const owner_;
  std::array<Class, class_count> classes_;
};

}  // namespace heddle::driver
