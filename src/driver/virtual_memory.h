// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address ranges from the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::driver {

size_t page_size();

/// Commits and locks the pages of a range, so that accesses never fault (MVA "safe-to-access"). Returns
/// false, with the reason in the log, if the system refuses.
bool lock_in_memory(const void* base, size_t size);

/// Zeroed memory that can be read and written and is committed page by page when it is touched. The
/// destructor unmaps it.
class Mapping {
 public:
  Mapping() = default;
  /// Creates a mapping; empty on failure. `alignment` is a power of 2.
  static Mapping create(size_t size, size_t alignment = 1);
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();

  explicit operator bool() const { return base_ != nullptr; }
  std::byte* base() const { return base_; }
  size_t size() const { return size_; }
  bool contains(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(base_) < size_; }

 private:
  Mapping(std::byte* base, size_t size) : base_(base), size_(size) {}
  std::byte* base_ = nullptr;
  size_t size_ = 0;
};

}  // namespace heddle::driver
