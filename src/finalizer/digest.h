// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::finalizer {

/// A 128-bit digest of a sequence of byte strings (FNV-1a). It tells programs apart but does not resist
/// deliberate collisions.
class Digest {
 public:
  void add(std::span<const std::byte> bytes) {
    // The length goes first, so that two strings differ from their concatenation.
    for (uint64_t length = bytes.size(), i = 0; i < 8; ++i, length >>= 8) add(static_cast<uint8_t>(length));
    for (const std::byte byte : bytes) add(static_cast<uint8_t>(byte));
  }
  std::array<uint8_t, 16> value() const {
    std::array<uint8_t, 16> bytes;
    for (size_t i = 0; i < 16; ++i) bytes[i] = static_cast<uint8_t>(state_ >> (8 * i));
    return bytes;
  }

 private:
  using Word = unsigned __int128;
  void add(uint8_t byte) { state_ = (state_ ^ byte) * ((Word{0x1000000} << 64) | 0x13b); }

  Word state_ = (Word{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
};

}  // namespace heddle::finalizer
