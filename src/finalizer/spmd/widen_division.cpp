// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers are divided as numbers of floating point where these hold them exactly. Truncated, the quotient of
// the numbers is that of the integers: if a / b is not an integer, the next integer away from 0 differs from
// it by at least 1 / |b|. Rounding changes it by less than |a / b| * 2^-p, for numbers with p bits, which is
// less than 1 / |b| because |a| <= 2^p. So rounding never reaches that integer. Such a division does not
// trap, so that the divisors of inactive lanes may be anything.
#include "finalizer/spmd/widen_division.h"

#include <llvm/Analysis/ValueTracking.h>

#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

bool is_signed(const BinaryOperator& division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool is_remainder(const BinaryOperator& division) {
  return division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem;
}

/// Returns how many bits are enough for both operands in active lanes, with the sign if they have one.
unsigned significant_bits(const BinaryOperator& division, const llvm::DataLayout& layout) {
  unsigned most = 0;
  for (const Value* operand : division.operands()) {
    const unsigned bits = is_signed(division) ? llvm::ComputeMaxSignificantBits(operand, layout)
                                              : llvm::computeKnownBits(operand, layout).countMaxActiveBits();
    most = std::max(most, bits);
  }
  return most;
}

// ---- as numbers of floating point

/// Divides integers of up to 32 bits with the processor's conversions. With 24 bits, f32 holds them.
Value* divide_short(IRBuilder<>& ir, const BinaryOperator& division, unsigned bits, Value* a, Value* b) {
  Type* type = a->getType();
  Type* integer = type->getWithNewType(ir.getInt32Ty());
  Type* number = type->getWithNewType(bits <= 24 ? ir.getFloatTy() : ir.getDoubleTy());
  a = ir.CreateIntCast(a, integer, is_signed(division));
  b = ir.CreateIntCast(b, integer, is_signed(division));
  // Conversions of numbers without sign take more instructions.
  const bool with_sign = is_signed(division) || bits < 32;
  const auto convert = [&](Value* value) {
    return with_sign ? ir.CreateSIToFP(value, number) : ir.CreateUIToFP(value, number);
  };
  Value *dividend = convert(a), *divisor = convert(b);
  Value* quotient = ir.CreateFDiv(dividend, divisor);
  Value* result = with_sign ? ir.CreateFPToSI(quotient, integer) : ir.CreateFPToUI(quotient, integer);
  if (is_remainder(division)) result = ir.CreateSub(a, ir.CreateMul(result, b));
  return ir.CreateIntCast(result, type, is_signed(division));
}

/// With so many bits, n is held by the low bits of the f64 1.5 * 2^52 + n.
constexpr unsigned longest = 51;

/// Divides integers of 64 bits that need no more than `longest`, without conversions, which AVX2 does not
/// have for them.
Value* divide_long(IRBuilder<>& ir, const BinaryOperator& division, Value* a, Value* b) {
  Type* integer = a->getType();
  Type* type = integer->getWithNewType(ir.getDoubleTy());
  Value* middle = llvm::ConstantFP::get(type, 0x1.8p52);
  Value* bits = llvm::ConstantInt::get(integer, 0x4338000000000000);
  const auto convert = [&](Value* value) {
    return ir.CreateFSub(ir.CreateBitCast(ir.CreateAdd(value, bits), type), middle);
  };
  Value *dividend = convert(a), *divisor = convert(b);
  Value* result = ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, ir.CreateFDiv(dividend, divisor));
  if (is_remainder(division)) result = ir.CreateFSub(dividend, ir.CreateFMul(result, divisor));
  return ir.CreateSub(ir.CreateBitCast(ir.CreateFAdd(result, middle), integer), bits);
}

// ---- as integers

/// Returns the divisors, which are 1 in lanes that are not active, because these must not trap.
Parts safe_divisor(Widening& w, const BinaryOperator& division) {
  const Value& operand = *division.getOperand(1);
  Parts parts = w.parts(operand);
  // The divisor may be -1, and the dividend of an inactive lane the least number.
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&operand);
  const bool traps = is_signed(division) && !(number && !number->isMinusOne());
  if (w.is_uniform(operand) && !traps) return parts;
  if (llvm::isa<llvm::Constant>(operand) && is_speculatable(division)) return parts;
  if (w.has_all_lanes(division)) return parts;
  const Parts active = w.masks().bits(w.ir(), w.mask_of(division));
  const unsigned elements = elements_of(*operand.getType());
  for (unsigned p = 0; p < parts.size(); ++p)
    parts[p] = w.ir().CreateSelect(create_repeated(w.ir(), active[p], elements), parts[p],
                                   llvm::ConstantInt::get(parts[p]->getType(), 1));
  return parts;
}

using DividePart = llvm::function_ref<Value*(Value* a, Value* b)>;

void set(Widening& w, const BinaryOperator& division, const Parts& divisor, DividePart divide) {
  const Parts dividend = w.parts(*division.getOperand(0));
  Parts results;
  for (unsigned p = 0; p < w.wave().parts(); ++p) results.push_back(divide(dividend[p], divisor[p]));
  w.set_parts(division, results);
}

/// LLVM divides by constants without a division, and otherwise element by element.
void divide_as_integers(Widening& w, const BinaryOperator& division) {
  set(w, division, safe_divisor(w, division), [&](Value* a, Value* b) {
    Value* result = w.ir().CreateBinOp(division.getOpcode(), a, b);
    // Without the check, folding may have made something else that must not get the flags.
    if (auto* made = llvm::dyn_cast<BinaryOperator>(result);
        made && made->getOpcode() == division.getOpcode())
      made->copyIRFlags(&division);
    return result;
  });
}

}  // namespace

void widen_division(Widening& w, const BinaryOperator& division) {
  const Value& divisor = *division.getOperand(1);
  if (llvm::isa<llvm::Constant>(divisor)) return divide_as_integers(w, division);
  const unsigned width = division.getType()->getScalarSizeInBits();
  const unsigned bits = significant_bits(division, w.layout());
  if (width <= 32)
    return set(w, division, w.parts(divisor),
               [&](Value* a, Value* b) { return divide_short(w.ir(), division, bits, a, b); });
  if (width == 64 && bits <= longest)
    return set(w, division, w.parts(divisor),
               [&](Value* a, Value* b) { return divide_long(w.ir(), division, a, b); });
  if (w.has_all_lanes(division) || !w.create_for_active_lanes(division)) divide_as_integers(w, division);
}

}  // namespace heddle::finalizer::spmd
