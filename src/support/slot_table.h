// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle {

/// Opaque 64-bit handles for objects of one type: slot index + generation + a tag for the type (design D11).
///
/// A handle is  tag:16 | generation:24 | (index + 1):24, so 0 is never a handle, a stale handle is told from
/// a live one, and a handle of another type is refused. Objects are shared: get() keeps one alive while it is
/// being used even if another thread erases the handle. Lookups take no lock; insert and erase do.
template <typename T, uint16_t Tag>
class SlotTable {
 public:
  SlotTable() = default;
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;
  ~SlotTable() {
    for (auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
  }

  /// Returns the handle of the object, or 0 if the table is full.
  uint64_t insert(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    uint32_t index;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      if (size_ == max_slots) return 0;
      index = size_;
      if (index % chunk_size == 0) add_chunk(index / chunk_size);
      ++size_;
    }
    Slot& slot = slot_at(index);
    slot.object.store(std::move(object), std::memory_order_release);
    return make(index, slot.generation.load(std::memory_order_relaxed));
  }

  /// Returns the object, or null for anything that is not a live handle of this table.
  std::shared_ptr<T> get(uint64_t handle) const {
    const Slot* slot = find(handle);
    if (slot == nullptr) return nullptr;
    auto object = slot->object.load(std::memory_order_acquire);
    // The slot may have been given to another object between the two reads.
    return generation_of(handle) == slot->generation.load(std::memory_order_acquire) ? object : nullptr;
  }

  /// Ends the life of the handle and returns the object, or null if the handle was not live.
  std::shared_ptr<T> erase(uint64_t handle) {
    std::lock_guard lock(mutex_);
    Slot* slot = const_cast<Slot*>(find(handle));
    if (slot == nullptr) return nullptr;
    // The object goes first: whoever sees the next generation must not see the old object with it.
    auto object = slot->object.exchange(nullptr, std::memory_order_acq_rel);
    if (object == nullptr) return nullptr;  // a handle that insert() has never returned
    slot->generation.store((generation_of(handle) + 1) & generation_mask, std::memory_order_release);
    assert(free_.size() < size_);
    free_.push_back(index_of(handle));
    return object;
  }

  /// Calls f(handle, object) for each live object, in slot order.
  template <typename F>
  void for_each(F f) const {
    uint32_t count;
    {
      std::lock_guard lock(mutex_);
      count = size_;
    }
    for (uint32_t i = 0; i < count; ++i) {
      // get() compares the generation again, so that a slot which changes hands meanwhile is left out.
      const uint64_t handle = make(i, slot_at(i).generation.load(std::memory_order_acquire));
      if (auto object = get(handle)) f(handle, object);
    }
  }

  void clear() {
    for_each([this](uint64_t handle, const std::shared_ptr<T>&) { erase(handle); });
  }

 private:
  static constexpr uint32_t generation_mask = 0xffffff;
  static constexpr uint32_t chunk_size = 1024;
  static constexpr uint32_t max_slots = 1u << 22;

  struct Slot {
    std::atomic<std::shared_ptr<T>> object;
    std::atomic<uint32_t> generation{1};
  };
  using Chunk = std::array<Slot, chunk_size>;

  static uint64_t make(uint32_t index, uint32_t generation) {
    return (static_cast<uint64_t>(Tag) << 48) | (static_cast<uint64_t>(generation) << 24) | (index + 1);
  }
  static uint32_t index_of(uint64_t handle) { return static_cast<uint32_t>(handle & 0xffffff) - 1; }
  static uint32_t generation_of(uint64_t handle) {
    return static_cast<uint32_t>(handle >> 24) & generation_mask;
  }

  /// Adds a chunk of slots. If this throws std::bad_alloc, the table is unchanged. The list of free slots
  /// gets the capacity for all slots, so that erase() never allocates.
  void add_chunk(uint32_t number) {
    free_.reserve((number + 1) * chunk_size);
    chunks_[number].store(new Chunk, std::memory_order_release);
  }

  Slot& slot_at(uint32_t index) const {
    return (*chunks_[index / chunk_size].load(std::memory_order_acquire))[index % chunk_size];
  }

  const Slot* find(uint64_t handle) const {
    if ((handle >> 48) != Tag || (handle & 0xffffff) == 0) return nullptr;
    uint32_t index = index_of(handle);
    if (index >= max_slots || chunks_[index / chunk_size].load(std::memory_order_acquire) == nullptr)
      return nullptr;
    const Slot& slot = slot_at(index);
    return slot.generation.load(std::memory_order_acquire) == generation_of(handle) ? &slot : nullptr;
  }

  mutable std::mutex mutex_;
  uint32_t size_ = 0;
  std::vector<uint32_t> free_;
  mutable std::array<std::atomic<Chunk*>, max_slots / chunk_size> chunks_{};
};

}  // namespace heddle
