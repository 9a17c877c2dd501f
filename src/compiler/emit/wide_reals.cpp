// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between integers of more than 64 bits and floating-point numbers.
#include "compiler/emit/arithmetic.h"

namespace heddle::compiler {

namespace {

using I = llvm::Instruction;
using P = llvm::CmpInst;

Parts constant(const llvm::APInt& value) {
  Parts parts;
  for (unsigned i = 0; i < value.getNumWords(); ++i) parts.push_back(Scalar::constant(value.getRawData()[i]));
  return parts;
}

Parts select(Builder& builder, Scalar condition, const Parts& if_true, const Parts& if_false) {
  Parts result;
  for (size_t i = 0; i < if_true.size(); ++i)
    result.push_back(builder.select(Type::u64, condition, if_true[i], if_false[i]));
  return result;
}

Parts negated(FunctionEmitter& emitter, const Parts& value, unsigned width) {
  return integer_operation(emitter, I::Sub, width, constant(llvm::APInt(width, 0)), value);
}

/// 64 bits of a positive integer from its first one on, of which the last one stands for all that follow, and
/// the number of bits behind them.
struct Leading {
  Scalar bits;
  Scalar behind;  // s32; negative if the integer is shorter
};

Leading leading_bits(FunctionEmitter& emitter, const Parts& value) {
  Builder& builder = emitter.builder();
  const auto width = static_cast<unsigned>(value.size() * 64);
  const Scalar above = wide_leading_zeros(builder, value);
  const Scalar amount = builder.convert(Type::u64, Type::u32, above);
  Parts moved(value.size(), Scalar::constant(0));
  moved[0] = amount;
  moved = integer_operation(emitter, I::Shl, width, value, moved);
  Scalar rest = moved[0];
  for (size_t i = 1; i + 1 < moved.size(); ++i) rest = builder.compute("or", Type::b64, {rest, moved[i]});
  const Scalar more = builder.compare("ne", Type::u64, rest, Scalar::constant(0));
  const Scalar bits =
      builder.compute("or", Type::b64, {moved.back(), builder.convert(Type::u64, Type::b1, more)});
  return {bits, builder.compute("sub", Type::u32, {Scalar::constant(width - 64), above})};
}

/// Rounds to f32, or if that is not the end, so that an inexact result has an odd last bit.
Scalar to_single(Builder& builder, Scalar bits, bool rounds_again) {
  if (!rounds_again) return builder.convert(Type::f32, Type::u64, bits);
  const Scalar near = builder.convert(Type::f32, Type::u64, bits, "zero");
  const Scalar back = builder.convert(Type::u64, Type::f32, near, "zeroi_sat");
  const Scalar inexact = builder.compare("ne", Type::u64, back, bits);
  return builder.select(Type::u32, inexact, builder.compute("or", Type::b32, {near, Scalar::constant(1)}),
                        near);
}

Scalar magnitude_to_half(FunctionEmitter& emitter, const Parts& value) {
  Builder& builder = emitter.builder();
  Scalar above = value[1];
  for (size_t i = 2; i < value.size(); ++i) above = builder.compute("or", Type::b64, {above, value[i]});
  const Scalar is_small = builder.compare("eq", Type::u64, above, Scalar::constant(0));
  const Scalar low = builder.convert(Type::f16, Type::u64, value[0]);
  return builder.select(Type::u32, is_small, low, Scalar::constant(0x7c00));  // infinity
}

Scalar magnitude_to_real(FunctionEmitter& emitter, const Parts& value, llvm::Type* to) {
  if (to->isHalfTy()) return magnitude_to_half(emitter, value);
  Builder& builder = emitter.builder();
  const Leading leading = leading_bits(emitter, value);
  const Type type = to->isDoubleTy() ? Type::f64 : Type::f32;
  const Scalar number = type == Type::f64 ? builder.convert(Type::f64, Type::u64, leading.bits)
                                          : to_single(builder, leading.bits, to->isBFloatTy());
  const Scalar limited =
      builder.compute("min", Type::s32, {leading.behind, Scalar::constant(fields_of(type).bias)});
  const Scalar scaled = builder.compute("mul", type, {number, power_of_two(builder, type, limited)});
  return from_real(builder, scaled, to);
}

/// What a number of type f64 consists of.
struct Binary {
  Scalar significand;  // u64, an integer below 2^53
  Scalar exponent;  // s32: the number is significand * 2^(exponent - 52), unless it is subnormal or no number
  Scalar is_negative;
};

Binary split(Builder& builder, Scalar number) {
  const Scalar fraction = builder.bit_and(Type::u64, number, (uint64_t{1} << 52) - 1);
  const Scalar significand =
      builder.compute("or", Type::b64, {fraction, Scalar::constant(uint64_t{1} << 52)});
  const Scalar upper =
      builder.convert(Type::u32, Type::u64, builder.shift("shr", Type::u64, number, Scalar::constant(52)));
  const Scalar biased = builder.bit_and(Type::u32, upper, 0x7ff);
  return {significand, builder.compute("sub", Type::u32, {biased, Scalar::constant(1023)}),
          builder.compare("lt", Type::s64, number, Scalar::constant(0))};
}

/// The integer part of a magnitude whose exponent is less than `width`.
Parts integer_part(FunctionEmitter& emitter, const Binary& number, unsigned width) {
  Builder& builder = emitter.builder();
  const Scalar fraction_bits = Scalar::constant(52);
  const Scalar down = builder.compute(
      "max", Type::s32,
      {builder.compute("sub", Type::s32, {fraction_bits, number.exponent}), Scalar::constant(0)});
  const Scalar limited = builder.compute("min", Type::s32, {down, Scalar::constant(63)});
  const Scalar whole = builder.shift("shr", Type::u64, number.significand, limited);
  Scalar up = builder.compute(
      "max", Type::s32,
      {builder.compute("sub", Type::s32, {number.exponent, fraction_bits}), Scalar::constant(0)});
  up = builder.compute("min", Type::s32, {up, Scalar::constant(width - 1)});
  Parts value(word_count(width), Scalar::constant(0));
  Parts amount = value;
  value[0] = whole;
  amount[0] = builder.convert(Type::u64, Type::u32, up);
  return integer_operation(emitter, I::Shl, width, value, amount);
}

}  // namespace

Scalar wide_leading_zeros(Builder& builder, const Parts& words) {
  Scalar found = Scalar::constant(0);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto above = static_cast<uint64_t>((words.size() - 1 - i) * 64);
    Scalar here = builder.compute("firstbit_u32_u64", Type::u32, {{words[i], Type::u64}});
    here = builder.compute("min", Type::u32, {here, Scalar::constant(64)});
    if (above != 0) here = builder.compute("add", Type::u32, {here, Scalar::constant(above)});
    const Scalar empty = builder.compare("eq", Type::u64, words[i], Scalar::constant(0));
    found = i == 0 ? here : builder.select(Type::u32, empty, found, here);
  }
  return found;
}

Scalar wide_to_real(FunctionEmitter& emitter, const Parts& value, unsigned width, bool is_signed,
                    llvm::Type* to) {
  Builder& builder = emitter.builder();
  if (!is_signed) return magnitude_to_real(emitter, value, to);
  const Parts extended = wide_sign_extended(builder, value, width);
  const auto full = static_cast<unsigned>(value.size() * 64);
  const Scalar is_negative = builder.compare("lt", Type::s64, extended.back(), Scalar::constant(0));
  const Parts magnitude = select(builder, is_negative, negated(emitter, extended, full), extended);
  const Scalar positive = magnitude_to_real(emitter, magnitude, to);
  const unsigned bits = to->getScalarSizeInBits();
  const Type part = unsigned_type(bits <= 32 ? 32 : 64);
  const Scalar negative = builder.compute("or", bit_type(bits <= 32 ? 32 : 64),
                                          {positive, Scalar::constant(uint64_t{1} << (bits - 1))});
  return builder.select(part, is_negative, negative, positive);
}

Parts real_to_wide(FunctionEmitter& emitter, Scalar value, llvm::Type* from, unsigned width, bool is_signed,
                   bool saturates) {
  Builder& builder = emitter.builder();
  const Real real = to_real(builder, value, from);
  const Scalar number =
      real.type == Type::f64 ? real.value : builder.convert(Type::f64, real.type, real.value);
  const Scalar in_register = Scalar::in(builder.in_register(number, Type::u64));
  const Binary binary = split(builder, in_register);
  Parts result = integer_part(emitter, binary, width);
  if (is_signed) result = select(builder, binary.is_negative, negated(emitter, result, width), result);
  if (!saturates) return result;
  const llvm::APInt low = is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getMinValue(width);
  const llvm::APInt high =
      is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  const Scalar too_large =
      builder.compare("ge", Type::s32, binary.exponent, Scalar::constant(is_signed ? width - 1 : width));
  result = select(builder, too_large, constant(high), result);
  const Scalar too_small =
      is_signed ? builder.compute("and", Type::b1, {too_large, binary.is_negative}) : binary.is_negative;
  result = select(builder, too_small, constant(low), result);
  const Scalar is_nan = builder.compare("nan", Type::f64, in_register, in_register);
  return select(builder, is_nan, constant(llvm::APInt(width, 0)), result);
}

}  // namespace heddle::compiler
