// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replacements for the few functions of the standard library that the operations on images need. These
// operations are compiled for the host and also into the device library for GPUs (src/devlib), which has no
// standard library. Their source files therefore include only this header, each other, and the C headers that
// come with the compiler or belong to HSA. All functions give the same bits on all targets.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa_ext_image.h>
#include <hsam/image.h>

// Stands before functions that GPUs should call rather than have once for each use: their code is long, and a
// call costs little beside the access to an element.
#ifdef __NVPTX__
#define HEDDLE_IMAGE_CALLED [[gnu::noinline]]
#else
#define HEDDLE_IMAGE_CALLED
#endif

namespace heddle::image {

template <typename To, typename From>
constexpr To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

template <typename T>
constexpr T clamped(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

inline bool is_nan(double value) { return __builtin_isnan(value); }
inline bool is_finite(double value) { return __builtin_isfinite(value); }
inline double round_down(double value) { return __builtin_floor(value); }
/// Rounds to the nearest integer with ties to even.
inline double round_to_even(double value) { return __builtin_roundeven(value); }

/// These two convert as processors of the host do. Of a NaN the sign and the highest bits of its payload stay
/// and it becomes quiet, where a GPU would make its own NaN of it.
inline double widened(float value) {
  if (!is_nan(value)) return value;
  const auto bits = bits_as<uint32_t>(value);
  const uint64_t sign = bits >> 31, payload = bits & 0x3fffff;
  return bits_as<double>(sign << 63 | uint64_t{0x7ff8000000000000} | payload << 29);
}
inline float narrowed(double value) {
  if (!is_nan(value)) return static_cast<float>(value);
  const auto bits = bits_as<uint64_t>(value);
  return bits_as<float>(static_cast<uint32_t>(bits >> 32 & 0x80000000) | 0x7fc00000 |
                        static_cast<uint32_t>(bits >> 29 & 0x3fffff));
}

}  // namespace heddle::image
