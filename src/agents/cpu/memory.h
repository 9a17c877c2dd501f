// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Private, zero-filled pages with an inaccessible page at either end, so that an access outside the segment
/// faults.
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

  /// Provides at least `size` bytes. A mapping that is large enough is kept; a smaller one is replaced, and
  /// its contents are lost. False if there is no memory.
  bool reserve(size_t size);
  /// Unmaps the memory.
  void reset();

  uint64_t address() const { return reinterpret_cast<uint64_t>(base_); }
  size_t size() const { return size_; }

 private:
  std::byte* base_ = nullptr;
  size_t size_ = 0;
};

/// The stack of a fiber, which grows down from `top` to `limit`. An access to the page below `limit` faults.
struct Stack {
  uint64_t limit = 0;
  uint64_t top = 0;
};

/// Stacks of one size, for one thread: mapped in slabs that are not unmapped before the pool is destroyed.
/// Tops are staggered over a page, because thousands of fibers whose hot words lie at equal offsets in a page
/// would compete for a few sets of the cache.
class StackPool {
 public:
  explicit StackPool(size_t stack_size);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Returns a stack whose `top` is 0 if there is no memory.
  Stack take();

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
