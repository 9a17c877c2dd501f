// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/isa/control_directive.h"
#include "hsail/isa/image_geometry.h"
#include "hsail/isa/isa.h"

/// The generated tables, for the files of this folder only.
namespace heddle::isa::tables {

enum class TermKind : uint8_t {
  value,          // Term::value
  field,          // value of Term::field
  size,           // size in bits of the type in Term::field
  dimension,      // packed_dimension() of the type in Term::field
  unsigned_type,  // as_unsigned() of the type in Term::field
  scalar,         // type that one element of it has in a register of its own: u32 for u8x4, f16 for f16x2
  address,        // size in bits of addresses in the segment in Term::field
  address_of,     // size in bits of addresses in the segment Term::value
  profile,
  model,
  minor,
};
struct Term {
  TermKind kind;
  Field field;
  uint16_t value;
};

enum class Comparison : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
struct Atom {
  Term left;
  Comparison comparison;
  Term right;
  uint16_t set;  // value_set(), for in and not_in
};

struct NameEntry {
  uint16_t value;
  Text spelling;
};

struct Format {
  uint16_t kind;
  uint8_t bytes;
  Range fields;
};
struct FormatField {
  Field field;
  uint8_t offset;
  uint8_t bytes;
  uint8_t bit;  // mask of a single bit; 0 if the field is the whole member
};

#include "hsail/isa/tables.inc"

template <typename T, size_t n>
constexpr std::span<const T> slice(const T (&table)[n], Range range) {
  return {table + range.first, range.count};
}

}  // namespace heddle::isa::tables
