// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small allocations of a region, such as kernel arguments, which programs typically allocate once per
// dispatch.
//
// Each slab holds blocks of one size class. All slabs of a kind lie in one reserved range of addresses, so
// that the slab of any address is found by arithmetic, without reading the address. The bookkeeping lies
// outside the slabs, so that a client that overruns a block harms no other client.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "driver/driver.h"
#include "driver/memory_file.h"
#include "driver/shared_file.h"
#include "driver/virtual_memory.h"
#include "support/fork_handler.h"

namespace heddle::driver {

class SmallHeap;

/// A reserved range of addresses, shared by all heaps of the process whose slabs are of this kind.
class SlabArena {
 public:
  enum class Kind : uint8_t {
    anonymous,
    in_file,  ///< agents can map it in processes of their own, at the same addresses (Where::apart)
  };
  static constexpr size_t slab_size = size_t{256} << 10;

  struct Slab {
    SmallHeap* heap;
    SlabArena* arena;
    uint32_t block_size;
    std::byte* base;
    std::vector<uint32_t> sizes;  // by block, as requested; 0: free
    std::vector<uint16_t> free;   // stack of free blocks; never exceeds its initial capacity
    bool listed;                  // is in its class's list of slabs with free blocks
  };

  /// Returns the anonymous arena, which the first client makes.
  static SlabArena& instance();
  /// Returns the arena of this kind. That in a file is made when it is first asked for; null if the system
  /// refuses it.
  static SlabArena* get(Kind kind);
  /// Returns the slab of any arena that contains the address, or null.
  static Slab* find(const void* address);
  /// Returns the place of an address of the arena in a file; nothing for any other address.
  static std::optional<SharedPlace> place_of(const void* address);

  /// Returns null when the range is used up.
  Slab* create(SmallHeap& heap, uint32_t block_size);
  void destroy(Slab* slab);

 private:
  explicit SlabArena(Kind kind);
  static SlabArena* get_in_file();
  bool reserve(Kind kind, size_t size);
  void set_dumped(std::byte* base, size_t size, bool is_dumped) const noexcept;
  Slab* slab_at(const void* address) const;
  void forget_parent() noexcept;

  // The arena in a file, which is complete before it is stored here. The mutex is for making it.
  static std::atomic<SlabArena*> in_file_;
  static std::mutex making_;
  static bool is_refused_;

  Mapping anonymous_;
  FileOfThisProcess file_;
  SharedMapping shared_;       // all of the file, from its beginning on
  std::byte* base_ = nullptr;  // of whichever of the two mappings there is
  Mapping table_;              // std::atomic<Slab*> by slab number
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

  /// `owner` identifies the heap to the callers of find(). `kind` says where its memory lies.
  explicit SmallHeap(const void* owner, SlabArena::Kind kind = SlabArena::Kind::anonymous)
      : owner_(owner), kind_(kind) {}
  SmallHeap(const SmallHeap&) = delete;
  ~SmallHeap();

  const void* owner() const { return owner_; }
  /// Returns null if size or alignment is too large for a slab, or memory is exhausted, or the system refuses
  /// the arena. The memory is not zeroed.
  void* allocate(size_t size, size_t alignment);

  struct Block {
    SmallHeap* heap;
    void* base;
    size_t size;
  };
  /// Finds the live block of any heap that contains the address. Does not read the address.
  static std::optional<Block> find(const void* address);
  /// Returns where in a file an address in a live block of any heap lies; nothing if it lies in no such block
  /// or in no file.
  static std::optional<SharedPlace> place_of(const void* address);
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
  const SlabArena::Kind kind_;
  std::array<Class, class_count> classes_;
};

}  // namespace heddle::driver
