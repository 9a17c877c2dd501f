// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer and bit instructions (PRM 5.1 to 5.7, 5.13 in part) on single values.
#include <bit>

#include <hsa/hsa_brig_directives.h>

#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

/// The value of a source as a number.
i128 number(const Shape& shape, uint64_t bits) {
  return shape.is_signed() ? i128{sign_extend(bits, shape.bits)} : i128{bits};
}

/// The nearest number that the type can hold.
uint64_t saturated(const Shape& shape, i128 value) {
  const i128 most = shape.is_signed() ? i128{low_mask(shape.bits) >> 1} : i128{low_mask(shape.bits)};
  const i128 least = shape.is_signed() ? -most - 1 : 0;
  return static_cast<uint64_t>(value > most ? most : value < least ? least : value);
}

uint64_t fit(const Shape& shape, i128 value) {
  return shape.saturate ? saturated(shape, value) : static_cast<uint64_t>(value);
}

uint64_t int_add(const Shape& shape, const uint64_t* s, uint32_t&) {
  return fit(shape, number(shape, s[0]) + number(shape, s[1]));
}
uint64_t int_sub(const Shape& shape, const uint64_t* s, uint32_t&) {
  return fit(shape, number(shape, s[0]) - number(shape, s[1]));
}
/// Computes a * b + c. For 64-bit unsigned sources the result fits 128 bits only as an unsigned number.
uint64_t multiply_add(const Shape& shape, uint64_t a, uint64_t b, uint64_t c) {
  if (!shape.saturate) return a * b + c;
  if (shape.is_signed()) return saturated(shape, number(shape, a) * number(shape, b) + number(shape, c));
  const u128 exact = u128{a} * b + c;
  return exact > low_mask(shape.bits) ? low_mask(shape.bits) : static_cast<uint64_t>(exact);
}
uint64_t int_mul(const Shape& shape, const uint64_t* s, uint32_t&) {
  return multiply_add(shape, s[0], s[1], 0);
}
uint64_t int_mad(const Shape& shape, const uint64_t* s, uint32_t&) {
  return multiply_add(shape, s[0], s[1], s[2]);
}
uint64_t int_mulhi(const Shape& shape, const uint64_t* s, uint32_t&) {
  if (!shape.is_signed()) return static_cast<uint64_t>((u128{s[0]} * s[1]) >> shape.bits);
  return static_cast<uint64_t>((number(shape, s[0]) * number(shape, s[1])) >> shape.bits);
}
/// The result of a division by zero is undefined (PRM 5.2.2) and is 0 here. The smallest number divided by -1
/// gives itself, with remainder 0.
uint64_t int_div(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  if (s[1] == 0) {
    raised |= HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO;
    return 0;
  }
  return static_cast<uint64_t>(number(shape, s[0]) / number(shape, s[1]));
}
uint64_t int_rem(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  if (s[1] == 0) {
    raised |= HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO;
    return 0;
  }
  return static_cast<uint64_t>(number(shape, s[0]) % number(shape, s[1]));
}
uint64_t int_abs(const Shape& shape, const uint64_t* s, uint32_t&) {
  const i128 value = number(shape, s[0]);
  return static_cast<uint64_t>(value < 0 ? -value : value);
}
uint64_t int_neg(const Shape&, const uint64_t* s, uint32_t&) { return -s[0]; }
uint64_t int_max(const Shape& shape, const uint64_t* s, uint32_t&) {
  return number(shape, s[0]) > number(shape, s[1]) ? s[0] : s[1];
}
uint64_t int_min(const Shape& shape, const uint64_t* s, uint32_t&) {
  return number(shape, s[0]) < number(shape, s[1]) ? s[0] : s[1];
}
/// Carry and borrow out of the most significant bit. The arithmetic is unsigned for signed types, too (PRM
/// 5.2.2).
uint64_t int_carry(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>((u128{s[0]} + s[1]) >> shape.bits);
}
uint64_t int_borrow(const Shape&, const uint64_t* s, uint32_t&) { return s[0] < s[1]; }

// ---- 24 bits: sources outside the range have undefined results; here their low 24 bits count ----
i128 number24(const Shape& shape, uint64_t bits) {
  return shape.is_signed() ? i128{sign_extend(bits & 0xffffff, 24)} : i128{bits & 0xffffff};
}
i128 product24(const Shape& shape, const uint64_t* s) {
  return number24(shape, s[0]) * number24(shape, s[1]);
}
uint64_t int_mul24(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>(product24(shape, s));
}
uint64_t int_mul24hi(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>(product24(shape, s) >> 32);
}
uint64_t int_mad24(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>(product24(shape, s)) + s[2];
}
uint64_t int_mad24hi(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>(product24(shape, s) >> 32) + s[2];
}

// ---- shifts and bits ----
uint64_t int_shl(const Shape& shape, const uint64_t* s, uint32_t&) { return s[0] << (s[1] % shape.bits); }
uint64_t int_shr(const Shape& shape, const uint64_t* s, uint32_t&) {
  return static_cast<uint64_t>(number(shape, s[0]) >> (s[1] % shape.bits));
}
uint64_t bit_and(const Shape&, const uint64_t* s, uint32_t&) { return s[0] & s[1]; }
uint64_t bit_or(const Shape&, const uint64_t* s, uint32_t&) { return s[0] | s[1]; }
uint64_t bit_xor(const Shape&, const uint64_t* s, uint32_t&) { return s[0] ^ s[1]; }
uint64_t bit_not(const Shape&, const uint64_t* s, uint32_t&) { return ~s[0]; }
uint64_t bit_popcount(const Shape&, const uint64_t* s, uint32_t&) { return std::popcount(s[0]); }

uint64_t bit_extract(const Shape& shape, const uint64_t* s, uint32_t&) {
  const unsigned offset = s[1] % shape.bits, width = s[2] % shape.bits;
  if (width == 0) return 0;
  const uint64_t field = (s[0] >> offset) & low_mask(width);
  return shape.is_signed() ? static_cast<uint64_t>(sign_extend(field, width)) : field;
}
uint64_t bit_insert(const Shape& shape, const uint64_t* s, uint32_t&) {
  const unsigned offset = s[2] % shape.bits, width = s[3] % shape.bits;
  const uint64_t mask = width == 0 ? 0 : low_mask(width);
  return (s[0] & ~(mask << offset)) | ((s[1] & mask) << offset);
}
uint64_t bit_mask(const Shape& shape, const uint64_t* s, uint32_t&) {
  const unsigned offset = s[0] % shape.bits, width = s[1] % shape.bits;
  return width == 0 ? 0 : low_mask(width) << offset;
}
uint64_t bit_rev(const Shape& shape, const uint64_t* s, uint32_t&) {
  uint64_t result = 0;
  for (unsigned i = 0; i < shape.bits; ++i) result |= (s[0] >> i & 1) << (shape.bits - 1 - i);
  return result;
}
uint64_t bit_select(const Shape&, const uint64_t* s, uint32_t&) { return (s[1] & s[0]) | (s[2] & ~s[0]); }
uint64_t bit_first(const Shape& shape, const uint64_t* s, uint32_t&) {
  uint64_t value = s[0];
  const bool negative =
      shape.source_kind == Kind::signed_integer && (value >> (shape.source_bits - 1) & 1) != 0;
  if (negative) value = ~value & low_mask(shape.source_bits);
  return value == 0 ? ~uint64_t{0} : shape.source_bits - std::bit_width(value);
}
uint64_t bit_last(const Shape&, const uint64_t* s, uint32_t&) {
  return s[0] == 0 ? ~uint64_t{0} : std::countr_zero(s[0]);
}

// ---- multimedia (PRM 5.15) ----
uint64_t bit_align(const Shape&, const uint64_t* s, uint32_t&) { return (s[1] << 32 | s[0]) >> (s[2] & 31); }
uint64_t byte_align(const Shape&, const uint64_t* s, uint32_t&) {
  return (s[1] << 32 | s[0]) >> ((s[2] & 3) * 8);
}
uint64_t lerp(const Shape&, const uint64_t* s, uint32_t&) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    result |= ((s[0] >> i & 0xff) + (s[1] >> i & 0xff) + (s[2] >> i & 1)) / 2 << i;
  }
  return result;
}
uint64_t differences(const uint64_t* s, unsigned element_bits) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 32; i += element_bits) {
    const uint64_t a = s[0] >> i & low_mask(element_bits), b = s[1] >> i & low_mask(element_bits);
    result += a > b ? a - b : b - a;
  }
  return result;
}
uint64_t sad(const Shape& shape, const uint64_t* s, uint32_t&) {
  return differences(s, shape.source_bits) + s[2];
}
uint64_t sadhi(const Shape&, const uint64_t* s, uint32_t&) { return (differences(s, 8) << 16) + s[2]; }
uint64_t packcvt(const Shape&, const uint64_t* s, uint32_t& raised) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Mode mode;
    result |= to_integer(single, s[i], 8, false, false, mode).bits << 8 * i;
    if (single.is_signaling(s[i])) raised |= HSA_BRIG_EXCEPTIONS_INVALID_OPERATION;
  }
  return result;
}
uint64_t unpackcvt(const Shape&, const uint64_t* s, uint32_t&) {
  Mode mode;
  return from_integer(single, s[0] >> (s[1] & 3) * 8 & 0xff, false, mode);
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_ADD, elementwise, int_add},
    {HSA_BRIG_OPCODE_SUB, elementwise, int_sub},
    {HSA_BRIG_OPCODE_MUL, elementwise, int_mul},
    {HSA_BRIG_OPCODE_MAD, elementwise, int_mad},
    {HSA_BRIG_OPCODE_DIV, elementwise, int_div},
    {HSA_BRIG_OPCODE_ABS, elementwise, int_abs},
    {HSA_BRIG_OPCODE_NEG, elementwise, int_neg},
    {HSA_BRIG_OPCODE_MAX, elementwise, int_max},
    {HSA_BRIG_OPCODE_MIN, elementwise, int_min},
    {HSA_BRIG_OPCODE_BORROW, elementwise, int_borrow},
    {HSA_BRIG_OPCODE_CARRY, elementwise, int_carry},
    {HSA_BRIG_OPCODE_MULHI, elementwise, int_mulhi},
    {HSA_BRIG_OPCODE_REM, elementwise, int_rem},
    {HSA_BRIG_OPCODE_MAD24, elementwise, int_mad24},
    {HSA_BRIG_OPCODE_MAD24HI, elementwise, int_mad24hi},
    {HSA_BRIG_OPCODE_MUL24, elementwise, int_mul24},
    {HSA_BRIG_OPCODE_MUL24HI, elementwise, int_mul24hi},
    {HSA_BRIG_OPCODE_SHL, elementwise, int_shl},
    {HSA_BRIG_OPCODE_SHR, elementwise, int_shr},
    {HSA_BRIG_OPCODE_AND, elementwise, bit_and},
    {HSA_BRIG_OPCODE_NOT, elementwise, bit_not},
    {HSA_BRIG_OPCODE_OR, elementwise, bit_or},
    {HSA_BRIG_OPCODE_POPCOUNT, elementwise, bit_popcount},
    {HSA_BRIG_OPCODE_XOR, elementwise, bit_xor},
    {HSA_BRIG_OPCODE_BITEXTRACT, elementwise, bit_extract},
    {HSA_BRIG_OPCODE_BITINSERT, elementwise, bit_insert},
    {HSA_BRIG_OPCODE_BITMASK, elementwise, bit_mask},
    {HSA_BRIG_OPCODE_BITREV, elementwise, bit_rev},
    {HSA_BRIG_OPCODE_BITSELECT, elementwise, bit_select},
    {HSA_BRIG_OPCODE_FIRSTBIT, elementwise, bit_first},
    {HSA_BRIG_OPCODE_LASTBIT, elementwise, bit_last},
    {HSA_BRIG_OPCODE_BITALIGN, run_scalar, bit_align},
    {HSA_BRIG_OPCODE_BYTEALIGN, run_scalar, byte_align},
    {HSA_BRIG_OPCODE_LERP, run_scalar, lerp},
    {HSA_BRIG_OPCODE_SAD, run_scalar, sad},
    {HSA_BRIG_OPCODE_SADHI, run_scalar, sadhi},
    {HSA_BRIG_OPCODE_PACKCVT, run_scalar, packcvt},
    {HSA_BRIG_OPCODE_UNPACKCVT, run_scalar, unpackcvt, unpackcvt},
};

}  // namespace

std::span<const Row> integer_rows() { return rows; }

}  // namespace heddle::interpreter
