// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input data that is the same in every program and on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace bench {

/// Returns n values of low <= value < high, which are multiples of 2^-24 of the range.
template <typename T>
std::vector<T> random_reals(size_t n, T low, T high, uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<T> values(n);
  for (T& value : values) value = low + (high - low) * static_cast<T>(bits() >> 8) * static_cast<T>(0x1p-24);
  return values;
}

/// Returns n values of 0 <= value < limit. A limit of 0 means 2^32.
template <typename T>
std::vector<T> random_integers(size_t n, uint32_t limit, uint32_t seed) {
  std::mt19937 bits(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(limit == 0 ? bits() : bits() % limit);
  return values;
}

}  // namespace bench
