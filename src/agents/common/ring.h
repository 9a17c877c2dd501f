// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::agents {

/// A queue that keeps its memory, so that it allocates only when it has more elements than ever before. A
/// std::deque allocates again and again as elements come and go. The elements move when it grows; those that
/// have left it are destroyed at once.
template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return slots_[slot(i)]; }
  const T& operator[](size_t i) const { return slots_[slot(i)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }

  /// Adds an element, which the caller fills: an element that was trivial to destroy may have left its value.
  /// Throws std::bad_alloc; the queue is then as before.
  T& add() {
    if (size_ == slots_.size()) grow();
    return slots_[slot(size_++)];
  }
  void pop_back() {
    reset(back());
    --size_;
  }
  void pop_front() {
    reset(front());
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  size_t slot(size_t i) const {
    assert(i < slots_.size());
    return (first_ + i) & (slots_.size() - 1);
  }
  static void reset(T& element) {
    if constexpr (!std::is_trivially_destructible_v<T>) element = T();
  }
  void grow() {
    std::vector<T> larger(slots_.empty() ? 8 : 2 * slots_.size());
    for (size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  ///< a power of 2 of them, or none
  size_t first_ = 0;      ///< the slot of the oldest element
  size_t size_ = 0;
};

}  // namespace heddle::agents
