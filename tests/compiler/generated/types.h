// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of generated OpenCL C programs.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::tests {

enum class Base : uint8_t { char_, uchar, short_, ushort, int_, uint, long_, ulong, half, float_, double_ };
inline constexpr unsigned bases = 11, integer_bases = 8;

/// A scalar, or a vector of 2, 3, 4, 8 or 16 elements.
struct Type {
  Base base = Base::int_;
  unsigned width = 1;

  bool operator==(const Type&) const = default;
  bool is_vector() const { return width > 1; }
  bool is_integer() const { return static_cast<unsigned>(base) < integer_bases; }
  bool is_signed() const { return is_integer() && static_cast<unsigned>(base) % 2 == 0; }
  unsigned bits() const;  ///< of an element
  std::string name() const;
  Type of_width(unsigned elements) const { return {base, elements}; }
  Type scalar() const { return of_width(1); }
  Type as_unsigned() const;  ///< the unsigned integer with elements of the same size
  Type as_signed() const;
};

}  // namespace heddle::tests
