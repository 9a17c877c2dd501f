// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values are written into messages: in words of 8 bytes, texts and bytes behind their lengths. Both sides
// are of one build, on one machine.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/align.h"

namespace heddle::cuda::remote {

/// Collects the values of a message. Throws std::bad_alloc.
class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_raw(static_cast<const void*>(&value), sizeof(T));
  }
  void put_bytes(const void* data, size_t size) {
    put(uint64_t{size});
    put_raw(data, size);
  }
  void put_text(std::string_view text) { put_bytes(text.data(), text.size()); }
  /// The message as far as it has been written.
  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void put_raw(const void* data, size_t size) {
    const size_t at = bytes_.size();
    bytes_.resize(at + align_up(size, sizeof(uint64_t)));
    if (size != 0) std::memcpy(bytes_.data() + at, data, size);
  }
  std::vector<std::byte> bytes_;
};

/// Takes the values of a message in the order in which they were put. A message that is too short gives
/// zeros, and is_whole() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value = {};
    if (const std::byte* from = take_raw(sizeof(T))) std::memcpy(static_cast<void*>(&value), from, sizeof(T));
    return value;
  }
  std::span<const std::byte> take_bytes() {
    const auto size = static_cast<size_t>(take<uint64_t>());
    const std::byte* from = take_raw(size);
    return from ? std::span(from, size) : std::span<const std::byte>();
  }
  std::string take_text() {
    const auto bytes = take_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool is_whole() const { return whole_; }

 private:
  const std::byte* take_raw(size_t size) {
    const size_t whole = align_up(size, sizeof(uint64_t));
    if (size > left_.size() || whole > left_.size()) {
      whole_ = false;
      left_ = {};
      return nullptr;
    }
    const std::byte* from = left_.data();
    left_ = left_.subspan(whole);
    return from;
  }
  std::span<const std::byte> left_;
  bool whole_ = true;
};

}  // namespace heddle::cuda::remote
