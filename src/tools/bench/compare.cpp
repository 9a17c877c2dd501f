// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

namespace heddle::tools {
namespace {

std::string format_bits(const ElementType& type, const std::byte* value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value, type.size);
  return fmt::format("0x{:0{}x}", bits, 2 * type.size);
}

}  // namespace

std::optional<Difference> compare_elements(const ElementType& type, std::span<const std::byte> expected,
                                           std::span<const std::byte> found) {
  assert(expected.size() == found.size() && expected.size() % type.size == 0);
  if (expected.empty() || std::memcmp(expected.data(), found.data(), expected.size()) == 0)
    return std::nullopt;
  Difference difference;
  difference.elements = expected.size() / type.size;
  for (uint64_t i = difference.elements; i-- > 0;) {
    if (std::memcmp(&expected[i * type.size], &found[i * type.size], type.size) == 0) continue;
    ++difference.different;
    difference.first = i;
  }
  const std::byte* one = &expected[difference.first * type.size];
  const std::byte* other = &found[difference.first * type.size];
  difference.expected = format_element(type, one);
  difference.found = format_element(type, other);
  difference.expected_bits = format_bits(type, one);
  difference.found_bits = format_bits(type, other);
  return difference;
}

}  // namespace heddle::tools
