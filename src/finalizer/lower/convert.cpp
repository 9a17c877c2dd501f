// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt (PRM 5.19), and the conversions of packed bytes (PRM 5.15 packcvt, unpackcvt).
#include "finalizer/lower/floating.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

// ---- integer to integer

/// Clamps to the range of `to`, which is no larger than `from`.
llvm::Value* saturate(F& f, llvm::Value* value, isa::Type from, isa::Type to) {
  auto& ir = f.ir();
  const unsigned bits = value->getType()->getScalarSizeInBits(), to_bits = isa::bit_size(to);
  const auto constant = [&](const llvm::APInt& limit) {
    return llvm::ConstantInt::get(value->getType(), limit);
  };
  if (isa::is_signed(from) && isa::is_signed(to)) {
    value = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                     constant(llvm::APInt::getSignedMaxValue(to_bits).sext(bits)));
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                    constant(llvm::APInt::getSignedMinValue(to_bits).sext(bits)));
  }
  if (isa::is_signed(from))
    value = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, constant(llvm::APInt(bits, 0)));
  const llvm::APInt most =
      isa::is_signed(to) ? llvm::APInt::getSignedMaxValue(to_bits) : llvm::APInt::getMaxValue(to_bits);
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, constant(most.zext(bits)));
}

llvm::Value* integer_to_integer(F& f, const Instruction& i, llvm::Value* value) {
  auto& ir = f.ir();
  auto* to = f.bits_type(i.type(), value);
  if (i[isa::Field::sat]) value = saturate(f, value, i.source_type(), i.type());
  return isa::is_signed(i.source_type()) ? ir.CreateSExtOrTrunc(value, to) : ir.CreateZExtOrTrunc(value, to);
}

// ---- integer to float

/// A 64-bit integer truncated to f64, with a flag that tells whether bits were lost. Adding 1 to the bits of
/// the float moves it away from zero by one unit in the last place.
struct Truncated {
  llvm::Value* bits;      // of the magnitude as f64; i64 or a vector of them
  llvm::Value* inexact;   // 0 or 1; i64 or a vector of them
  llvm::Value* negative;  // i1 or a vector of them
};

Truncated truncate_to_f64(F& f, llvm::Value* value, bool is_signed) {
  auto& ir = f.ir();
  auto* type = value->getType();
  const auto constant = [&](uint64_t number) { return llvm::ConstantInt::get(type, number); };
  llvm::Value* negative = ir.CreateICmpSLT(value, constant(0));
  if (!is_signed) negative = llvm::Constant::getNullValue(negative->getType());
  llvm::Value* size = ir.CreateSelect(negative, ir.CreateNeg(value), value);
  llvm::Value* leading = ir.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, size, ir.getFalse());
  llvm::Value* excess = ir.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, constant(11), leading);
  llvm::Value* lost = ir.CreateSub(ir.CreateShl(constant(1), excess), constant(1));
  llvm::Value* inexact = ir.CreateZExt(ir.CreateICmpNE(ir.CreateAnd(size, lost), constant(0)), type);
  llvm::Value* exact =
      ir.CreateUIToFP(ir.CreateAnd(size, ir.CreateNot(lost)), f.llvm_type(HSA_BRIG_TYPE_F64, value));
  return {f.as_bits(exact), inexact, negative};
}

llvm::Value* with_sign(F& f, llvm::Value* bits, llvm::Value* negative) {
  auto& ir = f.ir();
  llvm::Value* sign = ir.CreateShl(ir.CreateZExt(negative, bits->getType()), 63);
  return f.from_bits(ir.CreateOr(bits, sign), HSA_BRIG_TYPE_F64);
}

llvm::Value* directed_to_f64(F& f, llvm::Value* value, bool is_signed, hsa_brig_round_t round) {
  auto& ir = f.ir();
  const Truncated t = truncate_to_f64(f, value, is_signed);
  llvm::Value* away = llvm::Constant::getNullValue(t.negative->getType());
  if (round == HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY) away = ir.CreateNot(t.negative);
  if (round == HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY) away = t.negative;
  llvm::Value* unit = ir.CreateSelect(away, t.inexact, llvm::ConstantInt::get(t.inexact->getType(), 0));
  return with_sign(f, ir.CreateAdd(t.bits, unit), t.negative);
}

llvm::Value* integer_to_float(F& f, const Instruction& i, llvm::Value* value) {
  auto& ir = f.ir();
  const isa::Type to = i.type();
  const bool is_signed = isa::is_signed(i.source_type());
  const hsa_brig_round_t round = f.rounding(i);
  const bool near = round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  const auto plain = [&](isa::Type wanted) {
    auto* type = f.llvm_type(wanted, value);
    return is_signed ? ir.CreateSIToFP(value, type) : ir.CreateUIToFP(value, type);
  };
  if (near && to != HSA_BRIG_TYPE_F16) return plain(to);
  // Up to 32 bits are exact in f64. 64 bits are rounded to odd first, so that the second rounding is correct.
  if (isa::bit_size(i.source_type()) < 64)
    return narrow(f, plain(HSA_BRIG_TYPE_F64), HSA_BRIG_TYPE_F64, to, round);
  if (to == HSA_BRIG_TYPE_F64) return directed_to_f64(f, value, is_signed, round);
  const Truncated t = truncate_to_f64(f, value, is_signed);
  llvm::Value* odd = with_sign(f, ir.CreateOr(t.bits, t.inexact), t.negative);
  return narrow(f, odd, HSA_BRIG_TYPE_F64, to, round);
}

// ---- float to integer

enum class Direction { up, down, zero, near };

Direction direction(unsigned round) {
  switch (round) {
    case HSA_BRIG_ROUND_INTEGER_NEAR_EVEN:
    case HSA_BRIG_ROUND_INTEGER_NEAR_EVEN_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN_SAT:
      return Direction::near;
    case HSA_BRIG_ROUND_INTEGER_PLUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_PLUS_INFINITY_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_PLUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_PLUS_INFINITY_SAT:
      return Direction::up;
    case HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY_SAT:
      return Direction::down;
    default:
      return Direction::zero;
  }
}

/// Rounds, then clamps; NaN gives 0. Without _sat the result for a value out of range is undefined, so
/// clamping is as good as anything.
llvm::Value* float_to_integer(F& f, llvm::Value* value, Direction direction, isa::Type to) {
  switch (direction) {
    case Direction::up:
      value = f.call(llvm::Intrinsic::ceil, value);
      break;
    case Direction::down:
      value = f.call(llvm::Intrinsic::floor, value);
      break;
    case Direction::near:
      value = f.call(llvm::Intrinsic::roundeven, value);
      break;
    case Direction::zero:
      break;
  }
  const auto id = isa::is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return f.ir().CreateIntrinsic(id, {f.bits_type(to, value), value->getType()}, {value});
}

llvm::Value* convert_float(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const isa::Type from = i.source_type(), to = i.type();
  llvm::Value* value = float_source(f, i, 1, from);
  if (isa::is_float(to)) {
    if (isa::bit_size(from) < isa::bit_size(to)) return widen(f, value, from, to);  // never tiny
    if (i[isa::Field::ftz] && to == HSA_BRIG_TYPE_F32)
      return f.call(TargetOperation::narrow_ftz, {f.i32(f.rounding(i)), f.source(i, 1, from)});
    llvm::Value* result = narrow(f, value, from, to, f.rounding(i));
    if (!i[isa::Field::ftz]) return result;
    return flush_tiny(f, result, narrow(f, doubled(f, value, from), from, to, f.rounding(i)), to);
  }
  const isa::Type wide = from == HSA_BRIG_TYPE_F16 ? isa::Type{HSA_BRIG_TYPE_F32} : from;
  value = widen(f, value, from, wide);
  if (to == HSA_BRIG_TYPE_B1) return ir.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0.0));
  return float_to_integer(f, value, direction(i[isa::Field::round]), to);
}

/// Converts true to 1, but to all ones in the signed types of 32 and 64 bits (PRM table 5-28, b2s).
llvm::Value* convert_b1(F& f, const Instruction& i, llvm::Value* value) {
  auto& ir = f.ir();
  const isa::Type to = i.type();
  if (to == HSA_BRIG_TYPE_S32 || to == HSA_BRIG_TYPE_S64) return ir.CreateSExt(value, f.bits_type(to));
  if (to == HSA_BRIG_TYPE_F16) return ir.CreateSelect(value, ir.getInt16(0x3c00), ir.getInt16(0));
  if (isa::is_float(to)) return ir.CreateUIToFP(value, f.llvm_type(to));
  return ir.CreateZExt(value, f.bits_type(to));
}

void lower_cvt(F& f, const Instruction& i) {
  const isa::Type from = i.source_type(), to = i.type();
  if (isa::is_float(from)) return f.set(i, convert_float(f, i));
  llvm::Value* value = f.source(i, 1, from);
  if (from == HSA_BRIG_TYPE_B1) return f.set(i, convert_b1(f, i, value));
  if (to == HSA_BRIG_TYPE_B1)
    return f.set(i, f.ir().CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0)));
  f.set(i, isa::is_float(to) ? integer_to_float(f, i, value) : integer_to_integer(f, i, value));
}

/// Converts four floats to unsigned bytes, the first one lowest, as neari_sat does.
void lower_packcvt(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* floats = llvm::PoisonValue::get(llvm::FixedVectorType::get(ir.getFloatTy(), 4));
  for (unsigned n = 0; n < 4; ++n)
    floats = ir.CreateInsertElement(floats, f.source(i, n + 1, HSA_BRIG_TYPE_F32), n);
  f.set(i, float_to_integer(f, floats, Direction::near, HSA_BRIG_TYPE_U8));
}

void lower_unpackcvt(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* shift = ir.CreateShl(ir.CreateAnd(f.source(i, 2, HSA_BRIG_TYPE_U32), f.i32(3)), 3);
  llvm::Value* byte = ir.CreateAnd(ir.CreateLShr(f.source(i, 1, HSA_BRIG_TYPE_B32), shift), f.i32(0xff));
  f.set(i, ir.CreateUIToFP(byte, ir.getFloatTy()));
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_CVT, lower_cvt},
    {HSA_BRIG_OPCODE_PACKCVT, lower_packcvt},
    {HSA_BRIG_OPCODE_UNPACKCVT, lower_unpackcvt},
};

}  // namespace

std::span<const LoweringEntry> convert_lowerings() { return entries; }

}  // namespace heddle::finalizer
