// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BLAKE3, as its specification (https://github.com/BLAKE3-team/BLAKE3-specs) defines the hash without a key.
// LLVM has it, too, but agents do without LLVM.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::cache {

/// Digests bytes that come in any number of pieces. It resists deliberate collisions.
class Blake3 {
 public:
  using Digest = std::array<uint8_t, 32>;
  /// The chaining value of a part of the tree.
  using Words = std::array<uint32_t, 8>;

  /// Throws std::bad_alloc.
  void update(std::span<const std::byte> bytes);
  /// The digest of all bytes so far.
  Digest value() const;

  static Digest of(std::span<const std::byte> bytes) {
    Blake3 blake3;
    blake3.update(bytes);
    return blake3.value();
  }

 private:
  static constexpr size_t chunk_size = 1024;

  void add(Words chunk);

  /// The chunk that comes next, as far as it is there. The last one is the root if it is the only one, so it
  /// stays here until it is known whether another one follows.
  std::array<std::byte, chunk_size> chunk_;
  size_t filled_ = 0;        ///< bytes of chunk_
  uint64_t chunks_ = 0;      ///< that have been digested
  std::vector<Words> tree_;  ///< the roots of whole subtrees, the largest one first
};

}  // namespace heddle::cache
