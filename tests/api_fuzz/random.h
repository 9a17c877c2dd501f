// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are the same on every machine, and integers at which programs like to fail.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace heddle::api_fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  /// A number below `bound`, which is not 0.
  uint64_t below(uint64_t bound) { return next() % bound; }
  /// True once in `n` times.
  bool once_in(uint64_t n) { return below(n) == 0; }
  template <typename Range>
  const auto& one_of(const Range& range) {
    return *(std::begin(range) + static_cast<ptrdiff_t>(below(std::size(range))));
  }
  /// Small numbers, powers of 2 and their neighbours, the ends of all ranges, and anything.
  uint64_t integer() {
    switch (below(4)) {
      case 0:
        return below(18);
      case 1:
        return (uint64_t{1} << below(64)) + below(3) - 1;
      case 2: {
        static constexpr uint64_t ends[] = {0,         INT32_MAX,  UINT32_MAX,
                                            INT64_MAX, UINT64_MAX, uint64_t{1} << 63};
        return one_of(ends);
      }
      default:
        return next();
    }
  }

 private:
  uint64_t state_;
};

}  // namespace heddle::api_fuzz
