// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt (PRM 5.19) on single values.
#include <hsa/hsa_brig_directives.h>

#include "hsail/isa/rounding.h"
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

__extension__ using i128 = __int128;

/// The result of a non-saturating conversion that does not fit is undefined; here it is the saturated one,
/// too.
uint64_t floating_to_integer(const Shape& shape, uint64_t bits, uint32_t& raised) {
  const isa::IntegerRounding how = isa::integer_rounding(shape.round);
  Mode mode{how.direction, shape.flush, 0};
  const Format& from = shape.source_format();
  const IntegerResult result =
      to_integer(from, bits, shape.bits, shape.is_signed(), how.signals_inexact, mode);
  // Saturation is not an invalid operation, but converting a signaling NaN is.
  if (how.saturates && !from.is_signaling(bits))
    mode.raised &= ~uint32_t{HSA_BRIG_EXCEPTIONS_INVALID_OPERATION};
  raised |= mode.raised;
  return result.bits;
}

uint64_t integer_to_integer(const Shape& shape, uint64_t bits) {
  const i128 value =
      shape.source_kind == Kind::signed_integer ? i128{sign_extend(bits, shape.source_bits)} : i128{bits};
  if (!shape.saturate) return static_cast<uint64_t>(value);
  const i128 most = shape.is_signed() ? i128{low_mask(shape.bits) >> 1} : i128{low_mask(shape.bits)};
  const i128 least = shape.is_signed() ? -most - 1 : 0;
  return static_cast<uint64_t>(value > most ? most : value < least ? least : value);
}

/// A true b1 becomes all ones in s32 and s64 ("b2s"), and 1 in every other integer type ("zext") (PRM Table
/// 5-28).
uint64_t bit_to_integer(const Shape& shape, bool bit) {
  return bit && shape.is_signed() && shape.bits >= 32 ? low_mask(shape.bits) : bit;
}

uint64_t to_bit(const Shape& shape, uint64_t bits) {
  if (shape.source_kind != Kind::floating) return bits != 0;
  Mode mode = shape.mode();
  return !shape.source_format().is_zero(flush_source(shape.source_format(), bits, mode));
}

uint64_t convert_to_integer(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  if (shape.kind == Kind::bit) return to_bit(shape, s[0]);
  switch (shape.source_kind) {
    case Kind::bit:
      return bit_to_integer(shape, s[0] != 0);
    case Kind::floating:
      return floating_to_integer(shape, s[0], raised);
    default:
      return integer_to_integer(shape, s[0]);
  }
}

uint64_t convert_to_floating(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  Mode mode = shape.mode();
  uint64_t result = 0;
  switch (shape.source_kind) {
    case Kind::bit:
      return s[0] != 0 ? shape.format().one() : 0;
    case Kind::floating:
      result = convert(shape.format(), shape.source_format(), s[0], mode);
      break;
    case Kind::signed_integer: {
      const int64_t value = sign_extend(s[0], shape.source_bits);
      result =
          from_integer(shape.format(), value < 0 ? -static_cast<uint64_t>(value) : value, value < 0, mode);
      break;
    }
    default:
      result = from_integer(shape.format(), s[0], false, mode);
  }
  raised |= mode.raised;
  return result;
}

constexpr Row rows[] = {{HSA_BRIG_OPCODE_CVT, elementwise, convert_to_integer, convert_to_floating}};

}  // namespace

std::span<const Row> convert_rows() { return rows; }

}  // namespace heddle::interpreter
