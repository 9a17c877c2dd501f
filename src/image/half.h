// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of f16 that need neither processor support nor the compiler's library.
#pragma once

#include "image/portable.h"

namespace heddle::image {

/// Converts exactly. The payload of a NaN is kept.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, exponent = half >> 10 & 31,
                 fraction = half & 0x3ff;
  if (exponent == 31) return bits_as<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0) return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

/// Rounds once, to nearest with ties to even.
inline uint16_t double_to_half(double value) {
  constexpr uint64_t size_mask = ~(uint64_t{1} << 63), fraction_mask = (uint64_t{1} << 52) - 1;
  const uint64_t bits = bits_as<uint64_t>(value) & size_mask;
  const uint32_t sign = bits == bits_as<uint64_t>(value) ? 0 : 0x8000;
  const auto magnitude = bits_as<double>(bits);
  if (is_nan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14)
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(round_to_even(magnitude * 0x1p24)));
  const auto exponent = static_cast<uint32_t>((bits >> 52) - 1009);  // as f16 has it, less one
  const auto scaled = bits_as<double>((bits & fraction_mask) | uint64_t{1023 + 10} << 52);
  const auto digits = static_cast<uint32_t>(round_to_even(scaled));  // 1024 to 2048
  return static_cast<uint16_t>(sign | ((exponent << 10) + digits));
}

}  // namespace heddle::image
