// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format of the runtime's handles, and a table for objects that live as long as the process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace heddle::runtime {

/// Upper 16 bits of a handle. They tell the types apart and keep handles from looking like addresses.
enum Tag : uint16_t {
  tag_agent = 0x5a01,
  tag_region = 0x5a02,
  tag_cache = 0x5a03,
  tag_isa = 0x5a04,
  tag_wavefront = 0x5a05,
  tag_reader = 0x5a06,
  tag_executable = 0x5a07,
  tag_executable_symbol = 0x5a08,
  tag_loaded_code_object = 0x5a09,
  tag_code_object = 0x5a0a,
  tag_code_symbol = 0x5a0b,
  tag_program = 0x5a0c,
  tag_writer = 0x5a0d,
  tag_pool = 0x5a0e,
  tag_virtual_memory = 0x5a0f,
  tag_log = 0x5a10,
  tag_counter_session = 0x5a11,
  tag_runtime = 0x5a12,  // of no object: the runtime as a producer of events
};

/// A table of objects that are never destroyed: agents and what belongs to them. A handle is tag:16 | 0:32 |
/// (index + 1):16. It stays valid when the runtime is shut down and initialised again. Lookups take no lock.
template <typename T, uint16_t Tag>
class PermanentTable {
 public:
  static constexpr size_t capacity = 1024;

  /// Takes ownership of the object and returns its handle, or 0 if the table is full.
  uint64_t add(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex_);
    const size_t index = size_.load(std::memory_order_relaxed);
    if (index == capacity) return 0;
    objects_[index] = std::move(object);
    size_.store(index + 1, std::memory_order_release);
    return (static_cast<uint64_t>(Tag) << 48) | (index + 1);
  }

  /// Returns null for anything that is not a handle of this table.
  T* get(uint64_t handle) const {
    const uint64_t index = (handle & 0xffffffffffff) - 1;
    if ((handle >> 48) != Tag || index >= size_.load(std::memory_order_acquire)) return nullptr;
    return objects_[index].get();
  }

  size_t size() const { return size_.load(std::memory_order_acquire); }
  T* at(size_t index) const { return objects_[index].get(); }

 private:
  std::mutex mutex_;
  std::atomic<size_t> size_ = 0;
  std::array<std::unique_ptr<T>, capacity> objects_;
};

}  // namespace heddle::runtime
