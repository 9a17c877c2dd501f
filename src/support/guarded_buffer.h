// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory beside pages that must not be touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

/// Bytes with an inaccessible page directly before or behind them, so that code that reads or writes further
/// than it may faults. On the other side there are, within the page, bytes that belong to nobody, and then
/// another inaccessible page. The bytes begin or end at a multiple of the page size, 4096, and are 0 at
/// first.
class GuardedBuffer {
 public:
  enum class Guard : uint8_t { before, behind };

  /// Throws std::bad_alloc if there is no memory.
  GuardedBuffer(size_t size, Guard guard);
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer();

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  /// All accessible bytes, also those that belong to nobody.
  uint8_t* pages() const { return base_ + page; }
  size_t pages_size() const { return pages_; }

 private:
  static constexpr size_t page = 4096;
  size_t size_, pages_;
  uint8_t *base_, *data_;
};

/// Returns one of both sides, for tests that take them in turn.
inline GuardedBuffer::Guard guard_of_turn(uint64_t turn) {
  return turn % 2 == 0 ? GuardedBuffer::Guard::behind : GuardedBuffer::Guard::before;
}

}  // namespace heddle
