// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/shape_rules.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include "finalizer/spmd/assumptions.h"
#include "finalizer/spmd/bounds.h"
#include "finalizer/spmd/lane_zero.h"
#include "finalizer/spmd/operation_shapes.h"
#include "finalizer/spmd/shape_arithmetic.h"
#include "finalizer/spmd/width_promise.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::ConstantInt;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

// InstVisitor finds the functions of the derived class by their names, which hide its own.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
/// Applies the rule of one instruction.
class Rules : public llvm::InstVisitor<Rules, Shape> {
 public:
  Rules(const Instruction& instruction, const RuleInput& input, const ShapeRequest& request)
      : layout_(instruction.getDataLayout()), input_(input), request_(request) {}

  Shape run(Instruction& i);
  bool assumed() const { return assumed_; }

  Shape visitInstruction(Instruction& i);
  Shape visitUnaryOperator(llvm::UnaryOperator& i) { return elementwise(i); }
  Shape visitBinaryOperator(llvm::BinaryOperator& i);
  Shape visitCastInst(llvm::CastInst& i);
  Shape visitICmpInst(llvm::ICmpInst& i);
  Shape visitFCmpInst(llvm::FCmpInst& i) { return elementwise(i); }
  Shape visitSelectInst(llvm::SelectInst& i);
  Shape visitFreezeInst(llvm::FreezeInst& i) { return operand(i, 0); }
  Shape visitGetElementPtrInst(llvm::GetElementPtrInst& i);
  Shape visitExtractElementInst(llvm::ExtractElementInst& i) { return elementwise(i); }
  Shape visitInsertElementInst(llvm::InsertElementInst& i) { return elementwise(i); }
  Shape visitShuffleVectorInst(llvm::ShuffleVectorInst& i) { return elementwise(i); }
  Shape visitExtractValueInst(llvm::ExtractValueInst& i) { return elementwise(i); }
  Shape visitInsertValueInst(llvm::InsertValueInst& i) { return elementwise(i); }
  Shape visitLoadInst(llvm::LoadInst& i);
  Shape visitCallBase(llvm::CallBase& i);

 private:
  Shape operand(const Instruction& i, unsigned index) { return input_.operand(*i.getOperand(index)); }
  Shape elementwise(const Instruction& i);
  Shape arithmetic(llvm::BinaryOperator& i, const Shape& a, const Shape& b, const Numbers& numbers);
  Shape with_constant(llvm::BinaryOperator& i, const Shape& a, const llvm::APInt& b, const Numbers& numbers);
  Shape extension(llvm::CastInst& i, bool is_signed);
  Shape to_bits(const Value& number, unsigned bits);
  bool lanes_fit(const Value& number, const Shape& shape, bool is_signed) const;
  bool has_flag(const llvm::BinaryOperator& i) const;

  /// Returns the numbers that values of a type are, or nothing if they are no numbers.
  std::optional<Numbers> numbers_of(const Type* type) const {
    if (type->isIntegerTy()) return Numbers{type->getIntegerBitWidth(), request_.lanes};
    if (type->isPointerTy())
      return Numbers{layout_.getPointerTypeSizeInBits(const_cast<Type*>(type)), request_.lanes};
    return std::nullopt;
  }

  const llvm::DataLayout& layout_;
  const RuleInput& input_;
  const ShapeRequest& request_;
  bool assumed_ = false;
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

/// Relies on what has been tested, or may be assumed, only if nothing else is known.
Shape Rules::run(Instruction& i) {
  const Shape shape = visit(i);
  const bool is_tested = request_.tested.contains(&i);
  if (!shape.is_varying() || (!is_tested && !input_.assume)) return shape;
  const auto assumption = assumption_about(i, input_.operand, request_.lanes);
  if (!assumption) return shape;
  assumed_ = !is_tested;
  return assumption->result;
}

/// What nothing is known of may give each lane something else.
Shape Rules::visitInstruction(Instruction& i) {
  return i.getType()->isVoidTy() ? Shape::uniform() : Shape::varying();
}

Shape Rules::elementwise(const Instruction& i) {
  Shape all = Shape::uniform();
  for (const Value* value : i.operands()) {
    const Shape shape = input_.operand(*value);
    if (shape.is_bottom()) return {};
    if (!shape.is_uniform()) all = Shape::varying();
  }
  return all;
}

// ---- operators

/// Reports whether the instruction does not overflow as an unsigned operation in any lane.
bool Rules::has_flag(const llvm::BinaryOperator& i) const {
  const auto* overflowing = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i);
  return input_.flags_hold && overflowing && overflowing->hasNoUnsignedWrap();
}

Shape Rules::visitBinaryOperator(llvm::BinaryOperator& i) {
  const auto numbers = numbers_of(i.getType());
  if (!numbers) return elementwise(i);
  const Shape a = operand(i, 0), b = operand(i, 1);
  if (a.is_bottom() || b.is_bottom()) return {};
  if (const auto* right = llvm::dyn_cast<ConstantInt>(i.getOperand(1)))
    return with_constant(i, a, right->getValue(), *numbers);
  if (const auto* left = llvm::dyn_cast<ConstantInt>(i.getOperand(0)); left && i.isCommutative())
    return with_constant(i, b, left->getValue(), *numbers);
  return arithmetic(i, a, b, *numbers);
}

Shape Rules::with_constant(llvm::BinaryOperator& i, const Shape& a, const llvm::APInt& b,
                           const Numbers& numbers) {
  const bool in_range = b.ult(numbers.bits);
  const auto distance = static_cast<unsigned>(b.getLimitedValue(numbers.bits));
  switch (i.getOpcode()) {
    case Instruction::Mul:
      return multiply(a, b, numbers, has_flag(i));
    case Instruction::Shl:
      if (!in_range) break;
      return multiply(a, llvm::APInt::getOneBitSet(numbers.bits, distance), numbers, has_flag(i));
    case Instruction::LShr:
      if (!in_range) break;
      return shift_right(a, distance, numbers);
    case Instruction::AShr:
      if (!in_range || (a.is_strided() && !fits_signed(a, numbers))) break;
      return shift_right(a, distance, numbers);
    case Instruction::UDiv:
      if (!b.isPowerOf2()) break;
      return shift_right(a, b.logBase2(), numbers);
    case Instruction::URem:
      if (!b.isPowerOf2()) break;
      return bitwise(Bitwise::and_, a, b - 1, numbers);
    case Instruction::And:
      return bitwise(Bitwise::and_, a, b, numbers);
    case Instruction::Xor:
      return bitwise(Bitwise::xor_, a, b, numbers);
    case Instruction::Or:
      if (const Shape shape = bitwise(Bitwise::or_, a, b, numbers); !shape.is_varying()) return shape;
      break;
    default:
      break;
  }
  return arithmetic(i, a, input_.operand(*ConstantInt::get(i.getContext(), b)), numbers);
}

Shape Rules::arithmetic(llvm::BinaryOperator& i, const Shape& a, const Shape& b, const Numbers& numbers) {
  switch (i.getOpcode()) {
    case Instruction::Add:
      return add(a, b, numbers, has_flag(i));
    case Instruction::Sub:
      return subtract(a, b, numbers, has_flag(i));
    case Instruction::Mul:
      return multiply(a, b, numbers);
    case Instruction::And:
      return bitwise(Bitwise::and_, a, b, numbers);
    case Instruction::Xor:
      return bitwise(Bitwise::xor_, a, b, numbers);
    case Instruction::Or:
      // Without common bits, it is a sum.
      if (input_.flags_hold && llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint())
        return add(a, b, numbers, true);
      return bitwise(Bitwise::or_, a, b, numbers);
    case Instruction::Shl:
      return a.is_uniform() && b.is_uniform() ? Shape::uniform(a.alignment) : Shape::varying();
    default:
      return elementwise(i);
  }
}

Shape Rules::visitICmpInst(llvm::ICmpInst& i) {
  if (request_.tested.contains(&i)) return Shape::uniform();
  const auto numbers = numbers_of(i.getOperand(0)->getType());
  return numbers ? compare(i.getPredicate(), operand(i, 0), operand(i, 1), *numbers) : elementwise(i);
}

Shape Rules::visitSelectInst(llvm::SelectInst& i) {
  const Shape condition = operand(i, 0), a = operand(i, 1), b = operand(i, 2);
  if (i.getTrueValue() == i.getFalseValue()) return a;
  if (condition.is_bottom()) return {};
  return condition.is_uniform() ? join(a, b) : Shape::varying();
}

// ---- casts

Shape Rules::visitCastInst(llvm::CastInst& i) {
  const auto from = numbers_of(i.getSrcTy()), to = numbers_of(i.getDestTy());
  if (!from || !to) return elementwise(i);
  switch (i.getOpcode()) {
    case Instruction::Trunc:
      return truncate(operand(i, 0), *to);
    case Instruction::ZExt:
    case Instruction::SExt:
      return extension(i, i.getOpcode() == Instruction::SExt);
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
      if (to->bits == from->bits) return operand(i, 0);
      return to->bits < from->bits ? truncate(operand(i, 0), *to) : extension(i, false);
    case Instruction::BitCast:
      return operand(i, 0);
    default:
      return elementwise(i);
  }
}

/// Reports whether no lane wraps around in the bits that a number has.
bool Rules::lanes_fit(const Value& number, const Shape& shape, bool is_signed) const {
  const Numbers numbers = *numbers_of(number.getType());
  if (is_signed ? fits_signed(shape, numbers) : fits_unsigned(shape, numbers)) return true;
  if (!number.getType()->isIntegerTy() || numbers.bits > 64) return false;
  const auto stride = static_cast<uint64_t>(shape.stride);
  const uint64_t step = shape.stride < 0 ? 0 - stride : stride;
  const uint64_t limit = llvm::maxUIntN(numbers.bits) >> (is_signed ? 1 : 0);
  bool overflow = false;
  const uint64_t last =
      llvm::SaturatingMultiplyAdd<uint64_t>(step, numbers.lanes - 1, upper_bound(number), &overflow);
  return !overflow && last <= limit;
}

Shape Rules::extension(llvm::CastInst& i, bool is_signed) {
  const Shape shape = operand(i, 0);
  if (!shape.is_strided()) return shape;
  const Numbers to = *numbers_of(i.getDestTy());
  if (to.bits > 64) return Shape::varying();
  return lanes_fit(*i.getOperand(0), shape, is_signed) ? extended(shape, is_signed) : Shape::varying();
}

/// Returns the shape of an index as an address computation sees it: extended with its sign, or truncated.
Shape Rules::to_bits(const Value& number, unsigned bits) {
  const Shape shape = input_.operand(number);
  const unsigned own = number.getType()->getIntegerBitWidth();
  if (own == bits || !shape.is_strided()) return shape;
  if (own > bits) return truncate(shape, {bits, request_.lanes});
  return lanes_fit(number, shape, true) ? extended(shape, true) : Shape::varying();
}

Shape Rules::visitGetElementPtrInst(llvm::GetElementPtrInst& i) {
  const auto numbers = numbers_of(i.getType());
  if (!numbers) return elementwise(i);
  Shape sum = operand(i, 0);
  const auto offset = [&](uint64_t bytes) {
    return input_.operand(*ConstantInt::get(llvm::IntegerType::get(i.getContext(), 64), bytes));
  };
  for (auto index = llvm::gep_type_begin(i), end = llvm::gep_type_end(i); index != end; ++index) {
    if (auto* structure = index.getStructTypeOrNull()) {
      const auto field = llvm::cast<ConstantInt>(index.getOperand())->getZExtValue();
      const auto* fields = layout_.getStructLayout(structure);
      sum = add(sum, offset(fields->getElementOffset(static_cast<unsigned>(field))), *numbers);
    } else {
      const llvm::APInt size(numbers->bits, layout_.getTypeAllocSize(index.getIndexedType()).getFixedValue());
      sum = add(sum, multiply(to_bits(*index.getOperand(), numbers->bits), size, *numbers), *numbers);
    }
  }
  return sum;
}

// ---- memory and calls

/// All lanes that execute a load together read the same memory together, so that they find the same value at
/// the same address, unless they read one after the other.
Shape Rules::visitLoadInst(llvm::LoadInst& i) {
  if (!i.isSimple()) return Shape::varying();
  return promises_agreement(i, request_) ? Shape::uniform() : elementwise(i);
}

Shape Rules::visitCallBase(llvm::CallBase& i) {
  if (i.getType()->isVoidTy() || value_of_lane_0(i)) return Shape::uniform();
  const llvm::Function* callee = i.getCalledFunction();
  if (!callee) return Shape::varying();
  if (const auto operation = target_operation_of(*callee)) {
    llvm::SmallVector<Shape, 8> arguments;
    for (const Value* argument : i.args()) arguments.push_back(input_.operand(*argument));
    return operation_shape(*operation, llvm::cast<llvm::CallInst>(i), arguments, request_);
  }
  const bool is_function = callee->isIntrinsic() && i.doesNotAccessMemory() && !i.isConvergent();
  return is_function ? elementwise(i) : Shape::varying();
}

}  // namespace

RuleResult shape_of_result(const Instruction& instruction, const RuleInput& input,
                           const ShapeRequest& request) {
  Rules rules(instruction, input, request);
  // The visitor takes instructions that it may change; these rules do not.
  const Shape shape = rules.run(const_cast<Instruction&>(instruction));
  return {shape, rules.assumed()};
}

}  // namespace heddle::finalizer::spmd
