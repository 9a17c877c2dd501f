// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cache/blake3.h"

namespace heddle::cache {

/// A BLAKE3 digest of everything that determines an entry. It resists deliberate collisions, because a
/// program may compile code from different sources.
using Key = Blake3::Digest;

/// Digests a sequence of numbers and strings. Each string follows its length, so that different sequences of
/// the same kinds are different bytes. `Hash` has update() and value() of Blake3.
template <typename Hash>
class BasicKeyHasher {
 public:
  void add(std::span<const std::byte> bytes) {
    add(uint64_t{bytes.size()});
    hash_.update(bytes);
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add(uint64_t number) { hash_.update(std::as_bytes(std::span(&number, 1))); }
  Key value() const { return hash_.value(); }

 private:
  Hash hash_;
};
using KeyHasher = BasicKeyHasher<Blake3>;

/// Returns the key in hexadecimal digits, the name of its file.
std::string to_text(const Key& key);

}  // namespace heddle::cache
