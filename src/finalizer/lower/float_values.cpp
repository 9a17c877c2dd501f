// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flushes, doubles, widens and narrows floating-point values. Widening is exact, and narrowing rounds once.
// Only the flushing of f32 and f64 and the conversions between f16 and f32 are target operations. All others
// use integer operations and IR operations that round to nearest, which every target has.
#include "finalizer/lower/floating.h"

#include <cassert>

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

llvm::Constant* bits_constant(llvm::Value* like, uint64_t value) {
  return llvm::ConstantInt::get(like->getType(), value);
}

/// Returns the bits of the next larger number if `up` is set, or of the next smaller one. `bits` must not be
/// those of a NaN, nor those of a zero if the step would change the sign.
llvm::Value* step(F& f, llvm::Value* bits, const FloatFormat& format, bool up) {
  auto& ir = f.ir();
  llvm::Value* negative =
      ir.CreateICmpNE(ir.CreateAnd(bits, bits_constant(bits, format.sign())), bits_constant(bits, 0));
  llvm::Value* away = ir.CreateAdd(bits, bits_constant(bits, 1));
  llvm::Value* toward = ir.CreateSub(bits, bits_constant(bits, 1));
  return up ? ir.CreateSelect(negative, toward, away) : ir.CreateSelect(negative, away, toward);
}

llvm::Value* magnitude(F& f, llvm::Value* value) { return f.call(llvm::Intrinsic::fabs, value); }

/// Returns the narrow value that the rounding mode requires, given the bits of the nearest one. `back` is the
/// nearest value widened again. Widening is exact, so a comparison of `back` and `original` tells on which
/// side of the original the nearest value lies.
llvm::Value* direct(F& f, llvm::Value* bits, llvm::Value* back, llvm::Value* original,
                    const FloatFormat& format, hsa_brig_round_t round) {
  auto& ir = f.ir();
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      return ir.CreateSelect(ir.CreateFCmpOLT(back, original), step(f, bits, format, true), bits);
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      return ir.CreateSelect(ir.CreateFCmpOGT(back, original), step(f, bits, format, false), bits);
    case HSA_BRIG_ROUND_FLOAT_ZERO: {
      llvm::Value* too_large = ir.CreateFCmpOGT(magnitude(f, back), magnitude(f, original));
      return ir.CreateSelect(too_large, ir.CreateSub(bits, bits_constant(bits, 1)), bits);
    }
    default:
      return bits;
  }
}

/// Rounds f64 to f32 to odd: truncates, and sets the last bit if anything was lost. A second rounding to a
/// format with at least two bits less then gives the result of a single rounding.
llvm::Value* narrow_to_odd(F& f, llvm::Value* value) {
  auto& ir = f.ir();
  llvm::Value* nearest = ir.CreateFPTrunc(value, f.llvm_type(HSA_BRIG_TYPE_F32, value));
  llvm::Value* back = ir.CreateFPExt(nearest, value->getType());
  llvm::Value* bits =
      direct(f, f.as_bits(nearest), back, value, float_format(HSA_BRIG_TYPE_F32), HSA_BRIG_ROUND_FLOAT_ZERO);
  llvm::Value* lost = ir.CreateZExt(ir.CreateFCmpONE(back, value), bits->getType());
  return f.from_bits(ir.CreateOr(bits, lost), HSA_BRIG_TYPE_F32);
}

llvm::Value* narrow_f32_to_f16(F& f, llvm::Value* value, hsa_brig_round_t round) {
  llvm::Value* nearest = f.call(TargetOperation::f32_to_f16, value);
  if (round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN) return nearest;
  return direct(f, nearest, f.call(TargetOperation::f16_to_f32, nearest), value,
                float_format(HSA_BRIG_TYPE_F16), round);
}

}  // namespace

FloatFormat float_format(isa::Type type) {
  switch (type) {
    case HSA_BRIG_TYPE_F16:
      return {16, 10};
    case HSA_BRIG_TYPE_F32:
      return {32, 23};
    default:
      return {64, 52};
  }
}

llvm::Value* flush(F& f, llvm::Value* value, isa::Type type) {
  if (type == HSA_BRIG_TYPE_F32) return f.call(TargetOperation::flush32, value);
  if (type == HSA_BRIG_TYPE_F64) return f.call(TargetOperation::flush64, value);
  auto& ir = f.ir();
  const FloatFormat format = float_format(type);
  llvm::Value* bits = f.as_bits(value);
  llvm::Value* size = ir.CreateAnd(bits, bits_constant(bits, format.sign() - 1));
  llvm::Value* small = ir.CreateICmpULT(size, bits_constant(bits, format.smallest_normal()));
  llvm::Value* zero = ir.CreateAnd(bits, bits_constant(bits, format.sign()));
  return f.from_bits(ir.CreateSelect(small, zero, bits), type);
}

llvm::Value* flush_tiny(F& f, llvm::Value* result, llvm::Value* twice, isa::Type type) {
  assert(type == HSA_BRIG_TYPE_F16 && "target operations on wider types flush themselves");
  auto& ir = f.ir();
  const FloatFormat format = float_format(type);
  llvm::Value* bits = f.as_bits(result);
  llvm::Value* size = ir.CreateAnd(f.as_bits(twice), bits_constant(bits, format.sign() - 1));
  llvm::Value* tiny = ir.CreateICmpULT(size, bits_constant(bits, 2 * format.smallest_normal()));
  llvm::Value* zero = ir.CreateAnd(bits, bits_constant(bits, format.sign()));
  return f.from_bits(ir.CreateSelect(tiny, zero, bits), type);
}

llvm::Value* doubled(F& f, llvm::Value* value, isa::Type type) {
  auto& ir = f.ir();
  if (type != HSA_BRIG_TYPE_F16) return ir.CreateFAdd(value, value);
  const FloatFormat format = float_format(type);
  llvm::Value* exponent = ir.CreateAnd(value, bits_constant(value, format.infinity()));
  llvm::Value* is_number = ir.CreateAnd(ir.CreateICmpNE(exponent, bits_constant(value, 0)),
                                        ir.CreateICmpNE(exponent, bits_constant(value, format.infinity())));
  llvm::Value* next = ir.CreateAdd(value, bits_constant(value, format.smallest_normal()));
  return ir.CreateSelect(is_number, next, value);
}

llvm::Value* is_nan(F& f, llvm::Value* value, isa::Type type) {
  auto& ir = f.ir();
  const FloatFormat format = float_format(type);
  llvm::Value* bits = f.as_bits(value);
  llvm::Value* size = ir.CreateAnd(bits, bits_constant(bits, format.sign() - 1));
  return ir.CreateICmpUGT(size, bits_constant(bits, format.infinity()));
}

llvm::Value* widen(F& f, llvm::Value* value, isa::Type from, isa::Type to) {
  if (from == HSA_BRIG_TYPE_F16) value = f.call(TargetOperation::f16_to_f32, value);
  if (to == HSA_BRIG_TYPE_F64 && value->getType()->getScalarType()->isFloatTy())
    value = f.ir().CreateFPExt(value, f.llvm_type(HSA_BRIG_TYPE_F64, value));
  return value;
}

llvm::Value* narrow(F& f, llvm::Value* value, isa::Type from, isa::Type to, hsa_brig_round_t round) {
  if (from == to) return value;
  if (from == HSA_BRIG_TYPE_F32) return narrow_f32_to_f16(f, value, round);
  if (to == HSA_BRIG_TYPE_F16) return narrow_f32_to_f16(f, narrow_to_odd(f, value), round);
  auto& ir = f.ir();
  llvm::Value* nearest = ir.CreateFPTrunc(value, f.llvm_type(HSA_BRIG_TYPE_F32, value));
  if (round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN) return nearest;
  llvm::Value* back = ir.CreateFPExt(nearest, value->getType());
  return f.from_bits(direct(f, f.as_bits(nearest), back, value, float_format(to), round), to);
}

llvm::Value* float_source(F& f, const Instruction& i, unsigned index, isa::Type type) {
  llvm::Value* value = f.source(i, index, type);
  return i[isa::Field::ftz] ? flush(f, value, type) : value;
}

}  // namespace heddle::finalizer
