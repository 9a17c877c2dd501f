// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <concepts>
#include <type_traits>

namespace heddle {

/// The least multiple of `unit` that is not below `value`. `unit` is not 0 and need not be a power of two.
/// The caller makes sure that the result fits into the type: it wraps around otherwise.
template <std::unsigned_integral T>
constexpr T align_up(T value, std::type_identity_t<T> unit) {
  assert(unit != 0);
  return static_cast<T>((value + unit - 1) / unit * unit);
}

}  // namespace heddle
