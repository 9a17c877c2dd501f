// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/arithmetic.h"

#include <fmt/format.h>

#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

using I = llvm::Instruction;

// How an operation on integers is done in a register that may be wider than they are.
struct IntegerRow {
  unsigned opcode;
  std::string_view stem;
  enum class As : uint8_t { unsigned_, signed_, bits } as;
  bool is_shift;              // the second source is an amount
  bool leaves_width;          // the result may have bits above the width
  std::string_view of_bools;  // the same for i1; "first" is the first operand, "zero" is 0
};

using As = IntegerRow::As;

constexpr IntegerRow integer_rows[] = {
    {I::Add, "add", As::unsigned_, false, true, "xor"},
    {I::Sub, "sub", As::unsigned_, false, true, "xor"},
    {I::Mul, "mul", As::unsigned_, false, true, "and"},
    {I::UDiv, "div", As::unsigned_, false, false, "first"},
    {I::SDiv, "div", As::signed_, false, true, "first"},
    {I::URem, "rem", As::unsigned_, false, false, "zero"},
    {I::SRem, "rem", As::signed_, false, true, "zero"},
    {I::Shl, "shl", As::unsigned_, true, true, "first"},
    {I::LShr, "shr", As::unsigned_, true, false, "first"},
    {I::AShr, "shr", As::signed_, true, true, "first"},
    {I::And, "and", As::bits, false, false, "and"},
    {I::Or, "or", As::bits, false, false, "or"},
    {I::Xor, "xor", As::bits, false, false, "xor"},
};

const IntegerRow& integer_row(unsigned opcode) {
  const auto* row = std::find_if(std::begin(integer_rows), std::end(integer_rows),
                                 [&](const IntegerRow& r) { return r.opcode == opcode; });
  assert(row != std::end(integer_rows));
  return *row;
}

Scalar bool_operation(Builder& builder, const IntegerRow& row, Scalar first, Scalar second) {
  if (row.of_bools == "first") return first;
  if (row.of_bools == "zero") return Scalar::constant(0);
  return builder.compute(row.of_bools, Type::b1, {first, second});
}

struct RealRow {
  unsigned opcode;
  std::string_view stem;
};

constexpr RealRow real_rows[] = {{I::FAdd, "add"}, {I::FSub, "sub"}, {I::FMul, "mul"}, {I::FDiv, "div"}};

Scalar real_operation(Builder& builder, unsigned opcode, llvm::Type* type, Scalar first, Scalar second) {
  const auto* row = std::find_if(std::begin(real_rows), std::end(real_rows),
                                 [&](const RealRow& r) { return r.opcode == opcode; });
  assert(row != std::end(real_rows));
  const Real a = to_real(builder, first, type);
  const Real b = to_real(builder, second, type);
  return from_real(builder, builder.compute(row->stem, a.type, {a.value, b.value}), type);
}

}  // namespace

Parts element(const Layout& layout, const Parts& parts, size_t leaf) {
  const Leaf& place = layout.leaves[leaf];
  return Parts(parts.begin() + place.part, parts.begin() + place.part + place.parts);
}

Parts integer_operation(FunctionEmitter& emitter, unsigned opcode, unsigned width, const Parts& first,
                        const Parts& second) {
  if (width > 64) return wide_operation(emitter, opcode, width, first, second);
  Builder& builder = emitter.builder();
  const IntegerRow& row = integer_row(opcode);
  if (width == 1) return {bool_operation(builder, row, first[0], second[0])};
  const unsigned full = width <= 32 ? 32 : 64;
  Scalar a = first[0];
  Scalar b = second[0];
  Type type = unsigned_type(full);
  if (row.as == As::bits) type = bit_type(full);
  if (row.as == As::signed_) {
    type = signed_type(full);
    a = builder.sign_extended(a, width);
    if (!row.is_shift) b = builder.sign_extended(b, width);
  }
  Scalar result;
  if (row.is_shift) {
    if (full == 64 && b.is_register()) b = builder.convert(Type::u32, Type::u64, b);
    result = builder.shift(row.stem, type, a, b);
  } else {
    result = builder.compute(row.stem, type, {a, b});
  }
  return {row.leaves_width ? builder.truncated(result, width) : result};
}

Parts select_parts(Builder& builder, Scalar condition, const Layout& layout, const Parts& if_true,
                   const Parts& if_false) {
  Parts result;
  for (size_t i = 0; i < layout.parts.size(); ++i) {
    result.push_back(builder.select(layout.parts[i], condition, if_true[i], if_false[i]));
  }
  return result;
}

Real to_real(Builder& builder, Scalar part, llvm::Type* scalar) {
  if (!scalar->isBFloatTy()) return {part, float_type(scalar->getScalarSizeInBits())};
  if (part.is_number()) return {Scalar::constant(part.bits << 16), Type::f32};
  return {builder.shift("shl", Type::u32, part, Scalar::constant(16)), Type::f32};
}

Scalar from_real(Builder& builder, Scalar value, llvm::Type* scalar) {
  if (!scalar->isBFloatTy()) return value;
  // Half of the last place is added, less one unless the last bit is odd. A NaN keeps its upper bits and
  // becomes quiet.
  const Scalar upper = builder.shift("shr", Type::u32, value, Scalar::constant(16));
  const Scalar odd = builder.bit_and(Type::u32, upper, 1);
  const Scalar half = builder.compute("add", Type::u32, {odd, Scalar::constant(0x7fff)});
  const Scalar sum = builder.compute("add", Type::u32, {value, half});
  const Scalar rounded = builder.shift("shr", Type::u32, sum, Scalar::constant(16));
  const Scalar quiet = builder.compute("or", Type::b32, {upper, Scalar::constant(0x40)});
  return builder.select(Type::u32, builder.compare("nan", Type::f32, value, value), quiet, rounded);
}

Scalar power_of_two(Builder& builder, Type type, Scalar exponent) {
  const Fields fields = fields_of(type);
  const Scalar biased = builder.compute("add", Type::u32, {exponent, Scalar::constant(fields.bias)});
  const Scalar place = Scalar::constant(fields.fraction);
  if (type == Type::f32) return builder.shift("shl", Type::u32, biased, place);
  return builder.shift("shl", Type::u64, builder.convert(Type::u64, Type::u32, biased), place);
}

namespace {

// The product that an addition alone uses, in the same block so that its factors do not live longer; null if
// neither operand is one.
const llvm::BinaryOperator* product_to_add(const llvm::Instruction& sum) {
  for (const llvm::Value* operand : sum.operands()) {
    const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(operand);
    if (product != nullptr && product->getOpcode() == I::Mul && product->hasOneUse() &&
        product->getParent() == sum.getParent())
      return product;
  }
  return nullptr;
}

// mad_uN for a sum with a product. The product itself is dead then.
bool emit_multiply_add(FunctionEmitter& emitter, const llvm::Instruction& sum) {
  const unsigned width = sum.getType()->isIntegerTy() ? emitter.width(sum.getType()) : 0;
  if (sum.getOpcode() != I::Add || width < 2 || width > 64) return false;
  const llvm::BinaryOperator* product = product_to_add(sum);
  if (product == nullptr) return false;
  const llvm::Value& other = *sum.getOperand(sum.getOperand(0) == product ? 1 : 0);
  Builder& builder = emitter.builder();
  const Scalar result = builder.compute("mad", unsigned_type(width <= 32 ? 32 : 64),
                                        {emitter.scalar(*product->getOperand(0)),
                                         emitter.scalar(*product->getOperand(1)), emitter.scalar(other)});
  emitter.set(sum, builder.truncated(result, width));
  return true;
}

}  // namespace

void emit_binary(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  if (emit_multiply_add(emitter, instruction)) return;
  const llvm::Value& first = *instruction.getOperand(0);
  const llvm::Value& second = *instruction.getOperand(1);
  const Layout& layout = emitter.layout(instruction);
  const Parts a = emitter.parts(first);
  const Parts b = emitter.parts(second);
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    llvm::Type* type = layout.leaves[i].type;
    if (type->isIntegerTy()) {
      result.append(integer_operation(emitter, instruction.getOpcode(), emitter.width(type),
                                      element(layout, a, i), element(layout, b, i)));
    } else {
      result.push_back(real_operation(emitter.builder(), instruction.getOpcode(), type, a[i], b[i]));
    }
  }
  emitter.set(instruction, std::move(result));
}

void emit_fneg(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const Layout& layout = emitter.layout(instruction);
  const Parts values = emitter.parts(*instruction.getOperand(0));
  Builder& builder = emitter.builder();
  Parts result;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    llvm::Type* type = layout.leaves[i].type;
    if (type->isBFloatTy()) {
      result.push_back(builder.compute("xor", Type::b32, {values[i], Scalar::constant(0x8000)}));
    } else {
      result.push_back(builder.compute("neg", float_type(type->getScalarSizeInBits()), {values[i]}));
    }
  }
  emitter.set(instruction, std::move(result));
}

}  // namespace heddle::compiler
