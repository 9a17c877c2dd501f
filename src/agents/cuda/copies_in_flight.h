// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::cuda {

/// The size of a cache line in bytes. What one thread writes and another one reads often is kept apart by it.
inline constexpr size_t cache_line = 64;

/// A copy that has begun.
struct alignas(cache_line) InFlight {
  uint64_t number = 0;
  uint64_t bytes = 0;
  uint64_t began = 0;  ///< ticks
  void* cookie = nullptr;
  bool is_withdrawn = false;  ///< nobody is told of its end
};

/// Copies that have begun and have not ended, in the order in which they began. The queue has two sides: one
/// thread at a time adds, and one at a time takes. The two need no lock between them, except to take a copy
/// back. The queue allocates memory for many copies at once, and uses what one such block of them has left
/// for the next block.
class CopiesInFlight {
 public:
  CopiesInFlight() = default;
  ~CopiesInFlight();
  CopiesInFlight(const CopiesInFlight&) = delete;
  CopiesInFlight& operator=(const CopiesInFlight&) = delete;

  /// Makes the queue count its additions in `counter`, which begins at 0 and outlives the queue. The caller
  /// chooses where it lies, so that the side that takes finds it in a cache line that it reads anyway. To be
  /// called first.
  void count_in(std::atomic<uint64_t>& counter) { added_ = &counter; }

  // ---- the side that adds

  /// Throws std::bad_alloc; the queue is then as before.
  void add(const InFlight& copy);
  /// Marks the copy that was added last as withdrawn; false if it was taken already. Nobody may take
  /// meanwhile.
  bool withdraw_last();

  // ---- the side that takes

  /// May be called by any thread. What it says may no longer hold when it returns. A thread that resets its
  /// waiter by an exchange sees every copy that was added before the kick that it thereby clears.
  bool is_empty() const { return size() == 0; }
  /// For the side that takes. Others may only learn from it whether it is 0.
  size_t size() const {
    const uint64_t taken = taken_.load(std::memory_order_relaxed);
    return static_cast<size_t>(added_->load(std::memory_order_acquire) - taken);
  }
  /// The oldest copy. The queue is not empty.
  const InFlight& first();
  void drop_first();

 private:
  static constexpr size_t block_size = 64;
  struct Block {
    std::array<InFlight, block_size> copies;
    Block* next = nullptr;
  };

  void add_block();

  std::atomic<uint64_t>* added_ = nullptr;
  std::atomic<Block*> spare_{nullptr};          ///< a block that was used before
  alignas(cache_line) Block* last_ = nullptr;   ///< of the side that adds
  alignas(cache_line) Block* first_ = nullptr;  ///< of the side that takes, like the rest
  size_t position_ = 0;                         ///< of the oldest copy in the first block
  std::atomic<uint64_t> taken_{0};
};

}  // namespace heddle::cuda
