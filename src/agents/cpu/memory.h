// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Private, zero-filled pages with an inaccessible page at either end, so that code which leaves its segment
/// is found out.
class Pages {
 public:
  Pages() = default;
  ~Pages();
  Pages(Pages&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }

  /// Makes room for `size` bytes, keeping what is there already if it is large enough. False: no memory.
  /// Contents are not kept.
  bool reserve(size_t size);
  /// Gives everything back.
  void reset();

  uint64_t address() const { return reinterpret_cast<uint64_t>(base_); }
  size_t size() const { return size_; }

 private:
  std::byte* base_ = nullptr;
  size_t size_ = 0;
};

/// A stack of a fiber. `limit` .. `top`, growing down; the page below `limit` faults.
struct Stack {
  uint64_t limit = 0;
  uint64_t top = 0;
};

/// Stacks of one size, for one thread: mapped in slabs, never given back before the pool ends. Tops are
/// staggered over a page, as thousands of fibers whose hot words lie at equal page offsets would fight for a
/// few sets of the cache.
class StackPool {
 public:
  explicit StackPool(size_t stack_size);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// A stack with top 0 if there is no memory.
  Stack take();
  void give_back(Stack stack) { free_.push_back(stack); }

  /// Whether `address` lies in a guard page.
  bool is_guard(uint64_t address) const;

 private:
  struct Slab {
    std::byte* base;
    size_t size;
  };
  bool add_slab();

  const size_t stack_size_;
  const size_t stride_;
  uint32_t made_ = 0;
  std::vector<Slab> slabs_;
  std::vector<Stack> free_;
};

}  // namespace heddle::cpu
