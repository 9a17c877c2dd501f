// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar types of kernel arguments and buffers, named as in HSAIL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace heddle::tools {

enum class ElementKind : uint8_t { unsigned_integer, signed_integer, floating };

struct ElementType {
  std::string_view name;  ///< "u8", "f32", ... (PRM 4.13.1)
  std::string_view npy;   ///< the type's descr in .npy files
  uint8_t size;           ///< in bytes; also its alignment
  ElementKind kind;
};

/// Returns all types in ascending size.
std::span<const ElementType> element_types();
/// Returns nullptr if no type has this name.
const ElementType* find_element_type(std::string_view name);

/// The type of a value: an element type, or a packed type of 4, 8 or 16 bytes (PRM 4.13.2).
struct ValueType {
  const ElementType* element = nullptr;  ///< nullptr: no type
  uint32_t lanes = 1;
  uint32_t size() const { return element->size * lanes; }  ///< in bytes; also its alignment
};
/// Finds "f32", "u8x4" and so on. `element` of the result is nullptr if no type has this name.
ValueType find_value_type(std::string_view name);
const ElementType* find_npy_type(std::string_view descr);
/// Returns "u8, s8, u16, ..." for messages.
std::string element_type_names();

/// One value of any type; only the first `size` bytes are used.
struct ElementBytes {
  alignas(8) std::byte bytes[8] = {};
};

/// Parses a decimal number or, for integers, 0x...; "inf" and "nan" for floats. Fails if the text is not a
/// number or the number does not fit the type.
Result<ElementBytes> parse_element(const ElementType& type, std::string_view text);
/// Returns the nearest value of the type. Integers wrap, so that -1 becomes the largest u8.
ElementBytes element_from_double(const ElementType& type, double value);
ElementBytes element_from_bits(const ElementType& type, uint64_t bits);
double element_to_double(const ElementType& type, const std::byte* value);
/// Formats the value so that parse_element() reads back the same value.
std::string format_element(const ElementType& type, const std::byte* value);

float half_to_float(uint16_t half);
/// Rounds to nearest even.
uint16_t float_to_half(float value);

}  // namespace heddle::tools
