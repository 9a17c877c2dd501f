// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that other processes can map: ranges of one anonymous file. There is one file for all, and not one
// for each allocation, because a process may have only about a thousand files open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "driver/memory_file.h"

namespace heddle::driver {

/// The addresses that a mapping gets.
enum class Where : uint8_t {
  anywhere,
  /// Addresses at which the system puts nothing by itself, if there are any left, so that other processes can
  /// map the same memory at the same addresses.
  apart,
};

/// A part of a file that is mapped into this process. The destructor unmaps it. A child of a fork does not
/// get it, because it would share the memory with its parent instead of getting a copy.
class SharedMapping {
 public:
  SharedMapping() = default;
  /// Maps `size` bytes of the file, both multiples of the page size, at a multiple of `alignment`, a power of
  /// 2; empty on failure.
  static SharedMapping create(int file, uint64_t offset, size_t size, size_t alignment = 1,
                              Where where = Where::anywhere);
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  ~SharedMapping();

  explicit operator bool() const { return base_ != nullptr; }
  std::byte* base() const { return base_; }
  size_t size() const { return size_; }

 private:
  SharedMapping(std::byte* base, size_t size) : base_(base), size_(size) {}
  std::byte* base_ = nullptr;
  size_t size_ = 0;
};

/// The file. It takes no memory until its ranges are touched. A child of a fork does not get it. Thread safe.
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Returns the offset of a range of `size` bytes, a multiple of the page size, that reads as 0; nothing,
  /// with errno, if the system refuses. The first call creates the file.
  std::optional<uint64_t> allocate(size_t size);
  /// Gives the range and its memory back. Whoever has it mapped reads 0 afterwards.
  void free(uint64_t offset, size_t size) noexcept;
  /// Gives the memory of a range back, which reads as 0 afterwards. Who keeps the pages has them for itself.
  void drop_pages(uint64_t offset, size_t size) noexcept;
  /// Returns the descriptor, which closes with this object; -1 before the first range.
  int descriptor() const;

 private:
  bool grow(uint64_t size);

  mutable std::mutex mutex_;
  FileOfThisProcess file_;
  uint64_t size_ = 0;                  ///< of the file
  uint64_t used_ = 0;                  ///< ranges behind this offset have never been given out
  std::map<uint64_t, uint64_t> free_;  ///< sizes of the ranges that were given back, by offset; no two touch
};

}  // namespace heddle::driver
