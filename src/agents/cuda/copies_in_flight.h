// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::cuda {

/// What two threads use in turns is in cache lines of its own, as far as that is possible.
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
/// thread at a time adds, and one at a time takes. The two need no lock between them. Its memory is used
/// again and again, so that nothing is allocated for a copy unless more are in flight than ever before.
class CopiesInFlight {
 public:
  CopiesInFlight() = default;
  ~CopiesInFlight();
  CopiesInFlight(const CopiesInFlight&) = delete;
  CopiesInFlight& operator=(const CopiesInFlight&) = delete;

  /// Counts the copies that were added in `counter`, which outlives the queue and begins at 0. It is what one
  /// side tells the other by, and may be near to what that looks at in any case. To be called first.
  void count_in(std::atomic<uint64_t>& counter) { added_ = &counter; }

  // ---- the side that adds

  /// Throws std::bad_alloc; the queue is then as before.
  void add(const InFlight& copy);
  /// Marks the copy that was added last as withdrawn; false if it was taken already. Nobody may take
  /// meanwhile.
  bool withdraw_last();

  // ---- the side that takes

  /// May be called by any thread; what it says may be over then.
  bool is_empty() const { return size() == 0; }
  size_t size() const {
    const uint64_t taken = taken_.load(std::memory_order_relaxed);
    // In order with the word of the waiter that is kicked when something was added: whoever resets it and
    // finds nothing here is sure to be kicked.
    return static_cast<size_t>(added_->load(std::memory_order_seq_cst) - taken);
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
