// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences between results that should be equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "../element.h"

namespace heddle::tools {

struct Difference {
  uint64_t elements = 0;   ///< in all
  uint64_t different = 0;  ///< how many of them differ
  uint64_t first = 0;      ///< index of the first one
  std::string expected;    ///< its two values, in decimal
  std::string found;
  /// Its bits, in hexadecimal: values that are not equal may have the same decimal form (NaNs).
  std::string expected_bits, found_bits;
};

/// Compares two buffers of the same size bit by bit. Returns nullopt if they are equal.
std::optional<Difference> compare_elements(const ElementType& type, std::span<const std::byte> expected,
                                           std::span<const std::byte> found);

}  // namespace heddle::tools
