// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/assumptions.h"

#include <bit>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "finalizer/spmd/shape_arithmetic.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::ConstantInt;
using llvm::Instruction;
using llvm::MinMaxIntrinsic;
using llvm::Value;
using ShapeOf = llvm::function_ref<Shape(const Value&)>;

/// Returns the bits of a number in which strides are computed, or 0 if it is no such number.
unsigned bits_of(const Value& value) {
  const llvm::Type& type = *value.getType();
  const unsigned bits = type.isIntegerTy() ? type.getIntegerBitWidth() : 0;
  return bits >= 8 && bits <= 64 ? bits : 0;
}

/// Returns the distance of the last lane from lane 0, with wrapping.
llvm::APInt span_of(const Shape& shape, const Numbers& numbers) {
  const llvm::APInt span = llvm::APInt(64, static_cast<uint64_t>(shape.stride)) * (numbers.lanes - 1);
  return span.trunc(numbers.bits);
}

std::optional<Assumption> about_extension(const llvm::CastInst& cast, ShapeOf shape_of, unsigned lanes) {
  const bool is_signed = cast.getOpcode() == Instruction::SExt;
  if (!is_signed && cast.getOpcode() != Instruction::ZExt && cast.getOpcode() != Instruction::IntToPtr)
    return std::nullopt;
  const Value& number = *cast.getOperand(0);
  const uint64_t wide = cast.getDataLayout().getTypeSizeInBits(cast.getDestTy());
  if (bits_of(number) == 0 || wide <= bits_of(number) || wide > 64) return std::nullopt;
  const Shape shape = shape_of(number);
  if (!shape.is_strided() || !permitted_range(shape.stride, {bits_of(number), lanes}, is_signed))
    return std::nullopt;
  return Assumption{&number, nullptr, shape, extended(shape, is_signed)};
}

/// Returns the operands of an operator if one of them is strided and the other one uniform.
std::optional<Assumption> strided_and_uniform(const Value& a, const Value& b, ShapeOf shape_of) {
  if (bits_of(a) == 0) return std::nullopt;
  const Shape x = shape_of(a), y = shape_of(b);
  if (x.is_strided() && y.is_uniform()) return Assumption{&a, &b, x, x};
  if (x.is_uniform() && y.is_strided()) return Assumption{&b, &a, y, y};
  return std::nullopt;
}

std::optional<Assumption> about_choice(const MinMaxIntrinsic& choice, ShapeOf shape_of, unsigned lanes) {
  auto assumption = strided_and_uniform(*choice.getLHS(), *choice.getRHS(), shape_of);
  if (!assumption) return std::nullopt;
  const Numbers numbers = {bits_of(choice), lanes};
  if (!permitted_range(assumption->number.stride, numbers, choice.isSigned())) return std::nullopt;
  return assumption;
}

/// Reports whether a uniform number looks as if its lowest bits were zeros, as those of ~(size - 1) and -size
/// are.
bool seems_to_end_with_zeros(const Value& uniform) {
  namespace match = llvm::PatternMatch;
  return match::match(&uniform, match::m_Not(match::m_Value())) ||
         match::match(&uniform, match::m_Neg(match::m_Value()));
}

std::optional<Assumption> about_bits(const llvm::BinaryOperator& operation, ShapeOf shape_of,
                                     unsigned lanes) {
  const bool is_and = operation.getOpcode() == Instruction::And;
  if (!operation.isBitwiseLogicOp()) return std::nullopt;
  auto assumption = strided_and_uniform(*operation.getOperand(0), *operation.getOperand(1), shape_of);
  if (!assumption || assumption->number.stride < 0) return std::nullopt;
  const Shape number = assumption->number;
  constexpr unsigned high_bits = 8;  // without any of its own, the number would say nothing but the lane
  const auto stride = static_cast<unsigned __int128>(number.stride);
  if (stride * (lanes - 1) >> (bits_of(operation) - high_bits) != 0) return std::nullopt;
  const uint64_t block = std::bit_ceil(static_cast<uint64_t>(stride * (lanes - 1)) + 1);
  assumption->differing = block - 1;
  if (const auto* constant = llvm::dyn_cast<ConstantInt>(assumption->uniform)) {
    const uint64_t low = constant->getZExtValue() & assumption->differing;
    if (low != 0 && (!is_and || low != assumption->differing)) return std::nullopt;
    assumption->ones = low != 0;
  } else {
    assumption->ones = is_and && !seems_to_end_with_zeros(*assumption->uniform);
  }
  const uint64_t alignment = std::max(number.alignment, block);
  if (!is_and)
    assumption->result = Shape::strided(number.stride, block);
  else
    assumption->result =
        assumption->ones ? Shape::strided(number.stride, alignment) : Shape::uniform(alignment);
  return assumption;
}

// ---- tests

Value* create_test_of_choice(llvm::IRBuilderBase& ir, const MinMaxIntrinsic& choice,
                             const Assumption& assumption, Value* first, Value* bound,
                             const Numbers& numbers) {
  const Shape& shape = assumption.number;
  const auto predicate = llvm::CmpInst::getNonStrictPredicate(choice.getPredicate());
  const bool is_maximum = llvm::ICmpInst::isGE(predicate), rises = shape.stride > 0;
  // If no lane wraps around, the lane next to the bound decides for all.
  Value* next = is_maximum == rises ? first : ir.CreateAdd(first, ir.getInt(span_of(shape, numbers)));
  Value* on_one_side = ir.CreateICmp(predicate, next, bound);
  const auto fits = choice.isSigned() ? fits_signed : fits_unsigned;
  if (fits(shape, numbers)) return on_one_side;
  const auto range = permitted_range(shape.stride, numbers, choice.isSigned());
  return ir.CreateAnd(on_one_side, create_range_test(ir, first, *range));
}

Value* create_test_of_bits(llvm::IRBuilderBase& ir, const Assumption& assumption, Value* first,
                           Value* uniform) {
  Value* wrong = assumption.ones ? ir.CreateNot(uniform) : uniform;
  if (assumption.number.alignment <= assumption.differing) wrong = ir.CreateOr(wrong, first);
  wrong = ir.CreateAnd(wrong, llvm::ConstantInt::get(wrong->getType(), assumption.differing));
  return ir.CreateICmpEQ(wrong, llvm::Constant::getNullValue(wrong->getType()));
}

}  // namespace

std::optional<Assumption> assumption_about(const Instruction& instruction, ShapeOf shape_of, unsigned lanes) {
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return about_extension(*cast, shape_of, lanes);
  if (const auto* choice = llvm::dyn_cast<MinMaxIntrinsic>(&instruction))
    return about_choice(*choice, shape_of, lanes);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return about_bits(*operation, shape_of, lanes);
  return std::nullopt;
}

Value* create_range_test(llvm::IRBuilderBase& ir, Value* number, const llvm::ConstantRange& range) {
  llvm::CmpInst::Predicate predicate;
  llvm::APInt limit, offset;
  range.getEquivalentICmp(predicate, limit, offset);
  if (!offset.isZero()) number = ir.CreateAdd(number, ir.getInt(offset));
  return ir.CreateICmp(predicate, number, ir.getInt(limit));
}

Value* create_test(llvm::IRBuilderBase& ir, const Instruction& instruction, const Assumption& assumption,
                   Value* strided, Value* uniform, unsigned lanes) {
  const Numbers numbers = {bits_of(*assumption.strided), lanes};
  if (const auto* choice = llvm::dyn_cast<MinMaxIntrinsic>(&instruction))
    return create_test_of_choice(ir, *choice, assumption, strided, uniform, numbers);
  if (llvm::isa<llvm::BinaryOperator>(instruction))
    return create_test_of_bits(ir, assumption, strided, uniform);
  const bool is_signed = instruction.getOpcode() == Instruction::SExt;
  return create_range_test(ir, strided, *permitted_range(assumption.number.stride, numbers, is_signed));
}

}  // namespace heddle::finalizer::spmd
