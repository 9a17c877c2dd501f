// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 65 to 128 bits. Divisions have become loops before (prepare/arithmetic.h).
#include <fmt/format.h>

#include "compiler/emit/arithmetic.h"

namespace heddle::compiler {

namespace {

using I = llvm::Instruction;

Scalar low_amount(Builder& builder, Scalar amount) {
  return amount.is_number() ? amount : builder.convert(Type::u32, Type::u64, amount);
}

Parts add(Builder& builder, const Parts& a, const Parts& b) {
  const Scalar low = builder.compute("add", Type::u64, {a[0], b[0]});
  const Scalar carry = builder.compute("carry", Type::u64, {a[0], b[0]});
  const Scalar high = builder.compute("add", Type::u64, {a[1], b[1]});
  return {low, builder.compute("add", Type::u64, {high, carry})};
}

Parts subtract(Builder& builder, const Parts& a, const Parts& b) {
  const Scalar low = builder.compute("sub", Type::u64, {a[0], b[0]});
  const Scalar borrow = builder.compute("borrow", Type::u64, {a[0], b[0]});
  const Scalar high = builder.compute("sub", Type::u64, {a[1], b[1]});
  return {low, builder.compute("sub", Type::u64, {high, borrow})};
}

Parts multiply(Builder& builder, const Parts& a, const Parts& b) {
  const Scalar low = builder.compute("mul", Type::u64, {a[0], b[0]});
  Scalar high = builder.compute("mulhi", Type::u64, {a[0], b[0]});
  high = builder.compute("mad", Type::u64, {a[0], b[1], high});
  return {low, builder.compute("mad", Type::u64, {a[1], b[0], high})};
}

// Shifts use the amount modulo 64 (PRM 5.4), so that amounts of 64 and more exchange the halves, and an
// amount of 0 lets no bits pass from one half to the other.
struct ShiftTests {
  Scalar amount;
  Scalar rest;        // 64 - amount, modulo 64
  Scalar is_far;      // the amount is 64 or more
  Scalar is_nothing;  // the amount is a multiple of 64
};

ShiftTests shift_tests(Builder& builder, Scalar amount) {
  amount = Scalar::in(builder.in_register(low_amount(builder, amount), Type::u32));
  const Scalar modulo = builder.bit_and(Type::u32, amount, 63);
  return {amount, builder.compute("sub", Type::u32, {Scalar::constant(0), amount}),
          builder.compare("ge", Type::u32, amount, Scalar::constant(64)),
          builder.compare("eq", Type::u32, modulo, Scalar::constant(0))};
}

Parts shift_left(Builder& builder, const Parts& a, Scalar amount) {
  const ShiftTests tests = shift_tests(builder, amount);
  const Scalar zero = Scalar::constant(0);
  const Scalar low = builder.shift("shl", Type::u64, a[0], tests.amount);
  const Scalar high = builder.shift("shl", Type::u64, a[1], tests.amount);
  const Scalar passing =
      builder.select(Type::u64, tests.is_nothing, zero, builder.shift("shr", Type::u64, a[0], tests.rest));
  const Scalar near_high = builder.compute("or", Type::b64, {high, passing});
  return {builder.select(Type::u64, tests.is_far, zero, low),
          builder.select(Type::u64, tests.is_far, low, near_high)};
}

Parts shift_right(Builder& builder, const Parts& a, Scalar amount, bool is_signed) {
  const ShiftTests tests = shift_tests(builder, amount);
  const Scalar zero = Scalar::constant(0);
  const Type type = is_signed ? Type::s64 : Type::u64;
  const Scalar fill = is_signed ? builder.shift("shr", Type::s64, a[1], Scalar::constant(63)) : zero;
  const Scalar low = builder.shift("shr", Type::u64, a[0], tests.amount);
  const Scalar high = builder.shift("shr", type, a[1], tests.amount);
  const Scalar passing =
      builder.select(Type::u64, tests.is_nothing, zero, builder.shift("shl", Type::u64, a[1], tests.rest));
  const Scalar near_low = builder.compute("or", Type::b64, {low, passing});
  return {builder.select(Type::u64, tests.is_far, high, near_low),
          builder.select(Type::u64, tests.is_far, fill, high)};
}

Parts bitwise(Builder& builder, std::string_view stem, const Parts& a, const Parts& b) {
  return {builder.compute(stem, Type::b64, {a[0], b[0]}), builder.compute(stem, Type::b64, {a[1], b[1]})};
}

}  // namespace

Parts wide_sign_extended(Builder& builder, const Parts& value, unsigned width) {
  return {value[0], builder.sign_extended(value[1], width - 64, 64)};
}

Parts wide_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                     const Parts& second) {
  Builder& builder = emitter.builder();
  auto cut = [&](Parts result) {
    result[1] = builder.truncated(result[1], width - 64, 64);
    return result;
  };
  switch (opcode) {
    case I::Add:
      return cut(add(builder, first, second));
    case I::Sub:
      return cut(subtract(builder, first, second));
    case I::Mul:
      return cut(multiply(builder, first, second));
    case I::Shl:
      return cut(shift_left(builder, first, second[0]));
    case I::LShr:
      return shift_right(builder, first, second[0], false);
    case I::AShr:
      return cut(shift_right(builder, wide_sign_extended(builder, first, width), second[0], true));
    case I::And:
      return bitwise(builder, "and", first, second);
    case I::Or:
      return bitwise(builder, "or", first, second);
    default:
      assert(opcode == I::Xor && "prepare has expanded divisions");
      return bitwise(builder, "xor", first, second);
  }
}

Scalar compare_wide(Builder& builder, llvm::CmpInst::Predicate predicate, unsigned width, const Parts& first,
                    const Parts& second) {
  const bool is_signed = llvm::CmpInst::isSigned(predicate);
  const Parts a = is_signed ? wide_sign_extended(builder, first, width) : first;
  const Parts b = is_signed ? wide_sign_extended(builder, second, width) : second;
  const Type high_type = is_signed ? Type::s64 : Type::u64;
  const Scalar same_high = builder.compare("eq", Type::u64, a[1], b[1]);
  if (llvm::CmpInst::isEquality(predicate)) {
    const Scalar same_low = builder.compare("eq", Type::u64, a[0], b[0]);
    const Scalar same = builder.compute("and", Type::b1, {same_high, same_low});
    return predicate == llvm::CmpInst::ICMP_EQ ? same : builder.compute("not", Type::b1, {same});
  }
  const bool less = predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_ULE ||
                    predicate == llvm::CmpInst::ICMP_SLT || predicate == llvm::CmpInst::ICMP_SLE;
  const bool strict = llvm::CmpInst::isStrictPredicate(predicate);
  const Scalar high = builder.compare(less ? "lt" : "gt", high_type, a[1], b[1]);
  const Scalar low =
      builder.compare(less ? (strict ? "lt" : "le") : (strict ? "gt" : "ge"), Type::u64, a[0], b[0]);
  return builder.compute("or", Type::b1, {high, builder.compute("and", Type::b1, {same_high, low})});
}

}  // namespace heddle::compiler
