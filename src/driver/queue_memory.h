// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the queues of one client.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/driver.h"
#include "driver/virtual_memory.h"

namespace heddle::driver {

class Memory;
class QueueMemory;

/// Owns the block of memory of one queue.
class QueueBlock {
 public:
  QueueBlock() = default;
  QueueBlock(QueueBlock&& other) noexcept { *this = std::move(other); }
  QueueBlock& operator=(QueueBlock&& other) noexcept {
    std::swap(own_, other.own_);
    std::swap(memory_, other.memory_);
    std::swap(base_, other.base_);
    std::swap(units_, other.units_);
    std::swap(locked_, other.locked_);
    return *this;
  }
  ~QueueBlock();

  explicit operator bool() const { return base_ != nullptr; }
  std::byte* base() const { return base_; }

 private:
  friend class QueueMemory;
  Mapping own_;                    ///< empty: the block belongs to memory_
  QueueMemory* memory_ = nullptr;  ///< outlives the block
  std::byte* base_ = nullptr;
  uint64_t units_ = 0;  ///< of a chunk of memory_, as a mask; 0: the block is an allocation
  size_t locked_ = 0;   ///< bytes of this that have to be unlocked
};

/// Kernels may read the header of any queue, and write packets into its ring (PRM 11.3). Agents that cannot
/// access memory of which they have not been told therefore have to hear of the memory of queues. Because
/// that may take them long, small queues share chunks, of which they hear once. Without such agents each
/// queue has pages of its own, and nobody hears of them. Thread safe.
class QueueMemory {
 public:
  static constexpr size_t unit = 4096;
  static constexpr size_t chunk_size = 64 * unit;

  /// `region` is where blocks come from if agents are to hear of them, null otherwise. `memory` outlives
  /// this.
  QueueMemory(Memory& memory, const Region* region) : memory_(memory), region_(region) {}
  QueueMemory(const QueueMemory&) = delete;
  QueueMemory& operator=(const QueueMemory&) = delete;

  /// Returns a zeroed block of `size` bytes, at a multiple of 64, which kernels on all agents can access at
  /// the same address. With `locked` its pages are never paged out. Empty if there is no memory, or an agent
  /// refuses it. Throws std::bad_alloc.
  QueueBlock allocate(size_t size, bool locked);

 private:
  friend class QueueBlock;
  struct Chunk {
    std::byte* base;
    uint64_t used;  ///< the units, from the lowest bit on
  };

  bool take(QueueBlock& block, size_t size, bool locked);
  bool take_units(QueueBlock& block, size_t count);
  void give_back(const QueueBlock& block) noexcept;
  std::byte* give_back_units(const QueueBlock& block) noexcept;

  Memory& memory_;
  const Region* const region_;
  std::mutex mutex_;
  std::vector<Chunk> chunks_;
};

}  // namespace heddle::driver
