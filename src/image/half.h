// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of f16 that need neither processor support nor the compiler's library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::image {

/// Converts exactly. The payload of a NaN is kept.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, exponent = half >> 10 & 31,
                 fraction = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

/// Rounds once, to nearest with ties to even.
inline uint16_t double_to_half(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);                    // in [1/2, 1)
  const auto digits = static_cast<uint32_t>(std::nearbyint(fraction * 2048));  // 1024 to 2048
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 13) << 10) + digits));
}

}  // namespace heddle::image
