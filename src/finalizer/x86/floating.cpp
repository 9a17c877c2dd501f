// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/floating.h"

#include <array>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/lower/nearest.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::Value;
using Operands = std::array<Value*, 3>;

/// Reports whether rounding can turn a tiny result of the operation into the least normal number. Tiny sums
/// are exact, and square roots are never tiny.
constexpr bool rounds_to_least(RoundedOp op) {
  return op == RoundedOp::mul || op == RoundedOp::div || op == RoundedOp::fma;
}

/// Operations on the bits of numbers of one type, or of vectors of them.
class Bits {
 public:
  Bits(llvm::IRBuilder<>& ir, llvm::Type* number) : ir_(ir), number_(number) {
    const bool is_double = number->getScalarType()->isDoubleTy();
    fraction_ = is_double ? 52 : 23;
    integer_ = number->getWithNewType(ir.getIntNTy(is_double ? 64 : 32));
    sign_ = uint64_t{1} << (is_double ? 63 : 31);
  }

  Value* of(Value* number) const { return ir_.CreateBitCast(number, integer_); }
  Value* number(Value* bits) const { return ir_.CreateBitCast(bits, number_); }
  llvm::Constant* constant(uint64_t value) const { return llvm::ConstantInt::get(integer_, value); }
  Value* size(Value* bits) const { return ir_.CreateAnd(bits, constant(sign_ - 1)); }
  Value* zero(Value* bits) const { return ir_.CreateAnd(bits, constant(sign_)); }
  uint64_t least_normal() const { return uint64_t{1} << fraction_; }

  /// Returns the number, or the zero of its sign if it is subnormal.
  Value* flushed(Value* number) const {
    Value* bits = of(number);
    Value* subnormal = ir_.CreateICmpULT(size(bits), constant(least_normal()));
    return this->number(ir_.CreateSelect(subnormal, zero(bits), bits));
  }

  /// Returns the result, or the zero of its sign if it is tiny. `twice` shows whether it is tiny: it is the
  /// result of an operation whose exact value is twice as large, rounded in the same mode. If twice a source
  /// overflows, `twice` may be anything that is not tiny. In the flushing mode of the processor, the result
  /// may be wrong if it is small, because numbers from which it was computed may have been flushed. Half of
  /// `twice` is taken instead.
  Value* flushed_by_twice(Value* result, Value* twice, bool flush_mode) const {
    Value* twice_bits = of(twice);
    Value *bits = of(result), *twice_size = size(twice_bits);
    const auto below = [&](uint64_t limit) { return ir_.CreateICmpULT(twice_size, constant(limit)); };
    if (flush_mode)
      bits = ir_.CreateSelect(below(4 * least_normal()), ir_.CreateSub(twice_bits, constant(least_normal())),
                              bits);
    return number(ir_.CreateSelect(below(2 * least_normal()), zero(twice_bits), bits));
  }

  /// Returns an i1, or a vector of them, that is true if the number is a signalling NaN.
  Value* signals(Value* number) const {
    Value* least = constant(((sign_ - 1) & ~(least_normal() - 1)) + 1);
    Value* above = ir_.CreateSub(size(of(number)), least);
    return ir_.CreateICmpULT(above, constant((least_normal() >> 1) - 1));
  }

 private:
  llvm::IRBuilder<>& ir_;
  llvm::Type* number_;
  llvm::Type* integer_;
  unsigned fraction_;
  uint64_t sign_;
};

Value* compute(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, const Operands& x,
               const FloatTarget& target) {
  if (round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN) return round_to_nearest(ir, op, x);
  return directed(ir, op, round, x, target);
}

/// Flushes sources and result by integer operations, which is correct in both modes of the processor.
Value* flush_around(llvm::IRBuilder<>& ir, RoundedOp op, uint64_t round, Operands x,
                    const FloatTarget& target) {
  const Bits bits(ir, x[0]->getType());
  for (unsigned n = 0; n < operand_count(op); ++n) x[n] = bits.flushed(x[n]);
  Value* result = compute(ir, op, round, x, target);
  if (!rounds_to_least(op)) return bits.flushed(result);
  x[0] = ir.CreateFAdd(x[0], x[0]);
  if (op == RoundedOp::fma) x[2] = ir.CreateFAdd(x[2], x[2]);
  return bits.flushed_by_twice(result, compute(ir, op, round, x, target), target.flush_mode);
}

/// Makes LLVM flush the source if it turns out to be a constant. When LLVM computes with constants, it
/// respects the processor's mode only in the four basic operations. If the source is not a constant,
/// settle_canonical() removes the llvm.canonicalize that this function adds.
Value* canonical_source(llvm::IRBuilder<>& ir, Value* source) {
  return ir.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, source);
}

bool are_constants(const Operands& x, unsigned count) {
  return llvm::all_of(llvm::ArrayRef(x).take_front(count),
                      [](const Value* value) { return llvm::isa<llvm::Constant>(value); });
}

/// Rounds f64 to f32. The processor rounds to nearest. If the nearest number lies on the wrong side of the
/// value, its neighbour in the direction of the rounding is taken.
Value* narrow(llvm::IRBuilder<>& ir, Value* value, uint64_t round) {
  auto* type = value->getType()->getWithNewType(ir.getFloatTy());
  Value* nearest = ir.CreateFPTrunc(value, type);
  if (round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN) return nearest;
  const Bits bits(ir, type);
  Value* back = ir.CreateFPExt(nearest, value->getType());
  Value* at = bits.of(nearest);
  Value* negative = ir.CreateICmpNE(bits.zero(at), bits.constant(0));
  Value *inward = ir.CreateSub(at, bits.constant(1)), *outward = ir.CreateAdd(at, bits.constant(1));
  Value *below = ir.CreateFCmpOLT(back, value), *above = ir.CreateFCmpOGT(back, value);
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      at = ir.CreateSelect(below, ir.CreateSelect(negative, inward, outward), at);
      break;
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      at = ir.CreateSelect(above, ir.CreateSelect(negative, outward, inward), at);
      break;
    default:
      at = ir.CreateSelect(ir.CreateSelect(negative, below, above), inward, at);
      break;
  }
  return bits.number(at);
}

/// Reports whether a value may be a zero, or become one by flushing.
bool may_be_zero(const Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant && value->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return !number || number->isZero() || number->getValueAPF().isDenormal();
}

}  // namespace

Value* lower_arithmetic(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target) {
  const auto op = static_cast<RoundedOp>(constant_argument(call, 0));
  const uint64_t round = constant_argument(call, 1);
  const bool ftz = constant_argument(call, 2) != 0;
  Operands x = {call.getArgOperand(3), call.getArgOperand(4), call.getArgOperand(5)};
  if (!ftz) return compute(ir, op, round, x, target);
  // Neither the device library nor the builder, which computes operations on constants, respects the
  // processor's mode.
  const bool in_library = op == RoundedOp::fma && target.level == Level::v2;
  if (!target.flush_mode || in_library || are_constants(x, operand_count(op)))
    return flush_around(ir, op, round, x, target);
  if (op == RoundedOp::fma || op == RoundedOp::sqrt)
    for (unsigned n = 0; n < operand_count(op); ++n) x[n] = canonical_source(ir, x[n]);
  return compute(ir, op, round, x, target);
}

Value* lower_narrow(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target) {
  const uint64_t round = constant_argument(call, 0);
  Value* value = call.getArgOperand(1);
  const bool by_processor = target.flush_mode && round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  if (by_processor && !llvm::isa<llvm::Constant>(value)) return narrow(ir, value, round);
  value = Bits(ir, value->getType()).flushed(value);
  Value *result = narrow(ir, value, round), *twice = narrow(ir, ir.CreateFAdd(value, value), round);
  return Bits(ir, result->getType()).flushed_by_twice(result, twice, target.flush_mode);
}

Value* lower_flush(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target) {
  Value* value = call.getArgOperand(0);
  if (target.flush_mode && !llvm::isa<llvm::Constant>(value)) return canonical_source(ir, value);
  return Bits(ir, value->getType()).flushed(value);
}

/// The processor's minimum is its second source if the sources are equal or one of them is a NaN. Computed in
/// both orders, the minimum of two zeros is therefore each of them once, and the minimum of other numbers is
/// the same number twice. This decides the sign of a zero.
Value* lower_min_max(llvm::IRBuilder<>& ir, llvm::CallInst& call, const FloatTarget& target, bool max) {
  const bool flush_here = constant_argument(call, 0) != 0 && !target.flush_mode;
  Value *a = call.getArgOperand(1), *b = call.getArgOperand(2);
  const Bits bits(ir, a->getType());
  if (flush_here) {
    a = bits.flushed(a);
    b = bits.flushed(b);
  }
  const auto before = max ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::FCMP_OLT;
  Value* result = ir.CreateSelect(ir.CreateFCmp(before, a, b), a, b);
  if (may_be_zero(a) && may_be_zero(b)) {
    Value *one = bits.of(result), *other = bits.of(ir.CreateSelect(ir.CreateFCmp(before, b, a), b, a));
    result = bits.number(max ? ir.CreateAnd(one, other) : ir.CreateOr(one, other));
    result = ir.CreateSelect(ir.CreateFCmpUNO(a, a), b, result);
  }
  result = ir.CreateSelect(ir.CreateFCmpUNO(b, b), a, result);
  result = ir.CreateSelect(bits.signals(b), b, result);
  result = ir.CreateSelect(bits.signals(a), a, result);
  // This makes a NaN quiet, and flushes in the processor's mode.
  return ir.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, result);
}

}  // namespace heddle::finalizer::x86
