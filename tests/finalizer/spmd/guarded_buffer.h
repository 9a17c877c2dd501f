// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory between pages that must not be touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace heddle::testing {

/// Bytes with an inaccessible page directly before or behind them. On the other side there are, within the
/// page, bytes that belong to nobody.
class GuardedBuffer {
 public:
  enum class Guard : uint8_t { before, behind };

  GuardedBuffer(size_t size, Guard guard) : size_(size) {
    pages_ = (size + page - 1) / page * page;
    void* memory = ::mmap(nullptr, pages_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    base_ = static_cast<uint8_t*>(memory);
    if (pages_ != 0 && ::mprotect(base_ + page, pages_, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("mprotect");
    data_ = base_ + page + (guard == Guard::behind ? pages_ - size : 0);
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { ::munmap(base_, pages_ + 2 * page); }

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

}  // namespace heddle::testing
