// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes messages in the wire format of protocol buffers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::runtime::trace {

/// A message that is being written. A message inside another one is written on its own and then added.
class Message {
 public:
  /// Adds a field with a number or an enumerator.
  void add(uint32_t field, uint64_t value) {
    append_number(key(field, 0));
    append_number(value);
  }
  /// Adds a field of type int64. A negative number takes 10 bytes.
  void add_signed(uint32_t field, int64_t value) { add(field, static_cast<uint64_t>(value)); }
  void add_fixed64(uint32_t field, uint64_t value) {
    append_number(key(field, 1));
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void add(uint32_t field, std::string_view bytes) {
    append_number(key(field, 2));
    append_number(bytes.size());
    bytes_ += bytes;
  }
  void add(uint32_t field, const Message& message) { add(field, std::string_view(message.bytes_)); }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr uint64_t key(uint32_t field, uint32_t wire_type) {
    return uint64_t{field} << 3 | wire_type;
  }
  /// Appends groups of seven bits, the lowest first. The highest bit of a byte says that another one follows.
  void append_number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace heddle::runtime::trace
