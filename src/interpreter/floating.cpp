// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point instructions (PRM 5.11 to 5.14) on single values.
#include <cmath>
#include <cstring>

#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

using Unary = uint64_t (*)(const Format&, uint64_t, Mode&);
using Binary = uint64_t (*)(const Format&, uint64_t, uint64_t, Mode&);

template <Unary operation>
uint64_t unary(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  Mode mode = shape.mode();
  const uint64_t result = operation(shape.format(), s[0], mode);
  raised |= mode.raised;
  return result;
}
template <Binary operation>
uint64_t binary(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  Mode mode = shape.mode();
  const uint64_t result = operation(shape.format(), s[0], s[1], mode);
  raised |= mode.raised;
  return result;
}
/// Also executes mad, which may be either a fused or a separate multiply and add (PRM 5.12.2) and is fused
/// here.
uint64_t real_fma(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  Mode mode = shape.mode();
  const uint64_t result = fused_multiply_add(shape.format(), s[0], s[1], s[2], mode);
  raised |= mode.raised;
  return result;
}
/// Executes ceil, floor, rint and trunc, whose direction is given by the opcode and not by the rounding of
/// the instruction.
template <Rounding direction>
uint64_t integral(const Shape& shape, const uint64_t* s, uint32_t& raised) {
  Mode mode{direction, shape.flush, 0};
  const uint64_t result = round_to_integral(shape.format(), s[0], mode);
  raised |= mode.raised;
  return result;
}

// ---- bits: no exceptions, signaling NaNs stay as they are (PRM 5.13) ----
uint64_t real_abs(const Shape& shape, const uint64_t* s, uint32_t&) { return s[0] & ~shape.format().sign(); }
uint64_t real_neg(const Shape& shape, const uint64_t* s, uint32_t&) { return s[0] ^ shape.format().sign(); }
uint64_t real_copysign(const Shape& shape, const uint64_t* s, uint32_t&) {
  const uint64_t sign = shape.format().sign();
  return (s[0] & ~sign) | (s[1] & sign);
}
uint64_t real_class(const Shape& shape, const uint64_t* s, uint32_t&) {
  const Format& f = shape.source_format();
  const uint64_t x = s[0];
  const bool negative = f.is_negative(x);
  uint64_t bit = 0;
  if (f.is_nan(x)) {
    bit = f.is_signaling(x) ? 0x1 : 0x2;
  } else if (f.is_infinity(x)) {
    bit = negative ? 0x4 : 0x200;
  } else if (f.is_zero(x)) {
    bit = negative ? 0x20 : 0x40;
  } else if (f.is_subnormal(x)) {
    bit = negative ? 0x10 : 0x80;
  } else {
    bit = negative ? 0x8 : 0x100;
  }
  return (s[1] & bit) != 0;
}

// ---- native functions: PRM 5.14 leaves the precision open, so these use the host's library ----
template <typename T>
T value_of(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
uint64_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// sin(value + quarters * pi/2). For one or two quarters, pi/2 is taken to be the nearest f32, so that the
/// multiples of it that a program can write give exact zeros, as in compiled code.
float sine_of_quarters(float value, int quarters) {
  constexpr double quarter = 0x1.921fb6p0;
  const double count = std::nearbyint(value / quarter);
  if (count == 0 || !(std::abs(count) <= 2)) return quarters == 0 ? std::sin(value) : std::cos(value);
  const double rest = value - count * quarter;
  const int quadrant = (static_cast<int>(count) + quarters) & 3;
  const double result = quadrant & 1 ? std::cos(rest) : std::sin(rest);
  return static_cast<float>(quadrant & 2 ? 0.0 - result : result);
}
float native_sine(float value) { return sine_of_quarters(value, 0); }
float native_cosine(float value) { return sine_of_quarters(value, 1); }

template <float (*function)(float)>
uint64_t native(const Shape&, const uint64_t* s, uint32_t&) {
  return bits_of(function(value_of<float>(s[0])));
}
uint64_t native_fma(const Shape& shape, const uint64_t* s, uint32_t&) {
  Mode mode;
  return fused_multiply_add(shape.format(), s[0], s[1], s[2], mode);
}
uint64_t native_rcp(const Shape& shape, const uint64_t* s, uint32_t&) {
  Mode mode;
  return divide(shape.format(), shape.format().one(), s[0], mode);
}
uint64_t native_sqrt(const Shape& shape, const uint64_t* s, uint32_t&) {
  Mode mode;
  return square_root(shape.format(), s[0], mode);
}
uint64_t native_rsqrt(const Shape& shape, const uint64_t* s, uint32_t&) {
  Mode mode;
  return divide(shape.format(), shape.format().one(), square_root(shape.format(), s[0], mode), mode);
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_ADD, elementwise, nullptr, binary<add>},
    {HSA_BRIG_OPCODE_SUB, elementwise, nullptr, binary<subtract>},
    {HSA_BRIG_OPCODE_MUL, elementwise, nullptr, binary<multiply>},
    {HSA_BRIG_OPCODE_DIV, elementwise, nullptr, binary<divide>},
    {HSA_BRIG_OPCODE_MAX, elementwise, nullptr, binary<maximum>},
    {HSA_BRIG_OPCODE_MIN, elementwise, nullptr, binary<minimum>},
    {HSA_BRIG_OPCODE_FMA, elementwise, nullptr, real_fma},
    {HSA_BRIG_OPCODE_MAD, elementwise, nullptr, real_fma},
    {HSA_BRIG_OPCODE_SQRT, elementwise, nullptr, unary<square_root>},
    {HSA_BRIG_OPCODE_FRACT, elementwise, nullptr, unary<fraction_part>},
    {HSA_BRIG_OPCODE_CEIL, elementwise, nullptr, integral<Rounding::up>},
    {HSA_BRIG_OPCODE_FLOOR, elementwise, nullptr, integral<Rounding::down>},
    {HSA_BRIG_OPCODE_RINT, elementwise, nullptr, integral<Rounding::near_even>},
    {HSA_BRIG_OPCODE_TRUNC, elementwise, nullptr, integral<Rounding::zero>},
    {HSA_BRIG_OPCODE_ABS, elementwise, nullptr, real_abs},
    {HSA_BRIG_OPCODE_NEG, elementwise, nullptr, real_neg},
    {HSA_BRIG_OPCODE_COPYSIGN, elementwise, nullptr, real_copysign},
    {HSA_BRIG_OPCODE_CLASS, elementwise, real_class, nullptr},  // its result is a b1
    {HSA_BRIG_OPCODE_NSIN, elementwise, nullptr, native<native_sine>},
    {HSA_BRIG_OPCODE_NCOS, elementwise, nullptr, native<native_cosine>},
    {HSA_BRIG_OPCODE_NEXP2, elementwise, nullptr, native<std::exp2>},
    {HSA_BRIG_OPCODE_NLOG2, elementwise, nullptr, native<std::log2>},
    {HSA_BRIG_OPCODE_NFMA, elementwise, nullptr, native_fma},
    {HSA_BRIG_OPCODE_NRCP, elementwise, nullptr, native_rcp},
    {HSA_BRIG_OPCODE_NSQRT, elementwise, nullptr, native_sqrt},
    {HSA_BRIG_OPCODE_NRSQRT, elementwise, nullptr, native_rsqrt},
};

}  // namespace

std::span<const Row> floating_rows() { return rows; }

}  // namespace heddle::interpreter
