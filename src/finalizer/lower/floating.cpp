// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point arithmetic (PRM 5.12, 5.13, 5.14).
//
// Arithmetic that rounds to nearest and keeps subnormal numbers uses LLVM's operations. All other arithmetic
// on f32 and f64 is TargetOperation::arithmetic32 and arithmetic64, which each target implements. Arithmetic
// on f16 uses a wider type, so precise that a second rounding gives the result of a single one, and flushes
// by integer operations.
#include "finalizer/lower/floating.h"

#include "finalizer/lower/nearest.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using llvm::Intrinsic::ID;

using Operands = std::array<llvm::Value*, 3>;

llvm::Value* sign_of(F& f, llvm::Value* value) {
  llvm::Value* bits = f.as_bits(value);
  return f.ir().CreateICmpSLT(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

/// Returns the sum as rounding down gives it: if it is exactly zero, it is -0 unless both terms are +0 (IEEE
/// 754 6.3).
llvm::Value* zero_of_sum_rounded_down(F& f, llvm::Value* sum, llvm::Value* a, llvm::Value* b) {
  auto& ir = f.ir();
  auto* type = sum->getType();
  llvm::Value* is_zero = ir.CreateFCmpOEQ(sum, llvm::ConstantFP::get(type, 0.0));
  llvm::Value* negative = ir.CreateOr(sign_of(f, a), sign_of(f, b));
  llvm::Value* zero =
      ir.CreateSelect(negative, llvm::ConstantFP::getNegativeZero(type), llvm::ConstantFP::get(type, 0.0));
  return ir.CreateSelect(is_zero, zero, sum);
}

/// Computes an operation on f16 in f64 and rounds the result. A sum, product, quotient or root of 11-bit
/// numbers is either on a boundary of f16 rounding or so far from it that 53 bits show the difference. The
/// sum of a 22-bit product and an 11-bit number may have more than 53 bits and is therefore rounded to odd.
llvm::Value* directed_f16(F& f, RoundedOp op, const Operands& x, hsa_brig_round_t round) {
  auto& ir = f.ir();
  Operands wide = {};
  for (unsigned n = 0; n < operand_count(op); ++n)
    wide[n] = widen(f, x[n], HSA_BRIG_TYPE_F16, HSA_BRIG_TYPE_F64);
  llvm::Value* first = wide[0];
  llvm::Value* second = wide[1];
  if (op == RoundedOp::fma) {
    first = ir.CreateFMul(wide[0], wide[1]);  // exact
    second = wide[2];
  } else if (op == RoundedOp::sub) {
    second = ir.CreateFNeg(second);
  }
  const bool is_sum = op == RoundedOp::fma || op == RoundedOp::add || op == RoundedOp::sub;
  llvm::Value* result = is_sum ? ir.CreateFAdd(first, second) : round_to_nearest(f.ir(), op, wide);
  if (is_sum && op == RoundedOp::fma) {
    // A small term may be lost entirely in the sum, which then looks exact. If anything was lost from an even
    // sum, its odd neighbour in the direction of the lost part is taken.
    llvm::Value* part = ir.CreateFSub(result, first);
    llvm::Value* error =
        ir.CreateFAdd(ir.CreateFSub(first, ir.CreateFSub(result, part)), ir.CreateFSub(second, part));
    llvm::Value* bits = f.as_bits(result);
    auto* zero = llvm::ConstantFP::get(result->getType(), 0.0);
    llvm::Value* inexact = ir.CreateFCmpONE(error, zero);
    llvm::Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, f.i64(1)), f.i64(0));
    llvm::Value* outward = ir.CreateICmpEQ(sign_of(f, error), sign_of(f, result));
    llvm::Value* odd = ir.CreateSelect(outward, ir.CreateAdd(bits, f.i64(1)), ir.CreateSub(bits, f.i64(1)));
    result = f.from_bits(ir.CreateSelect(ir.CreateAnd(inexact, even), odd, bits), HSA_BRIG_TYPE_F64);
  }
  if (is_sum && round == HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY)
    result = zero_of_sum_rounded_down(f, result, first, second);
  // The result of 0 * infinity + NaN is the NaN of the sources, not that of the product (PRM 4.19.4).
  if (op == RoundedOp::fma)
    result = ir.CreateSelect(ir.CreateFCmpUNO(second, second), ir.CreateFAdd(second, second), result);
  return narrow(f, result, HSA_BRIG_TYPE_F64, HSA_BRIG_TYPE_F16, round);
}

llvm::Value* nearest_f16(F& f, RoundedOp op, const Operands& x) {
  if (op == RoundedOp::fma) return directed_f16(f, op, x, HSA_BRIG_ROUND_FLOAT_NEAR_EVEN);
  Operands wide = {};
  for (unsigned n = 0; n < operand_count(op); ++n)
    wide[n] = widen(f, x[n], HSA_BRIG_TYPE_F16, HSA_BRIG_TYPE_F32);
  return narrow(f, round_to_nearest(f.ir(), op, wide), HSA_BRIG_TYPE_F32, HSA_BRIG_TYPE_F16,
                HSA_BRIG_ROUND_FLOAT_NEAR_EVEN);
}

llvm::Value* arithmetic_f16(F& f, RoundedOp op, const Operands& x, hsa_brig_round_t round) {
  return round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN ? nearest_f16(f, op, x) : directed_f16(f, op, x, round);
}

/// Computes an operation on f16 with ftz. Tiny sums are exact, and square roots are never tiny. Whether the
/// result of another operation is tiny before it is rounded up to the least normal number is seen if sources
/// are doubled so that the exact value is twice as large (flush_tiny).
llvm::Value* flushing_f16(F& f, RoundedOp op, Operands x, hsa_brig_round_t round) {
  constexpr isa::Type type = HSA_BRIG_TYPE_F16;
  for (unsigned n = 0; n < operand_count(op); ++n) x[n] = flush(f, x[n], type);
  llvm::Value* result = arithmetic_f16(f, op, x, round);
  if (op != RoundedOp::mul && op != RoundedOp::div && op != RoundedOp::fma) return flush(f, result, type);
  x[0] = doubled(f, x[0], type);
  if (op == RoundedOp::fma) x[2] = doubled(f, x[2], type);
  return flush_tiny(f, result, arithmetic_f16(f, op, x, round), type);
}

llvm::Value* arithmetic(F& f, RoundedOp op, Operands x, isa::Type type, hsa_brig_round_t round,
                        bool ftz = false) {
  if (type == HSA_BRIG_TYPE_F16) return ftz ? flushing_f16(f, op, x, round) : arithmetic_f16(f, op, x, round);
  if (round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN && !ftz) return round_to_nearest(f.ir(), op, x);
  auto* zero = llvm::ConstantFP::get(x[0]->getType(), 0.0);
  for (auto& operand : x) operand = operand ? operand : zero;
  return f.call(type == HSA_BRIG_TYPE_F32 ? TargetOperation::arithmetic32 : TargetOperation::arithmetic64,
                {f.i32(static_cast<uint32_t>(op)), f.i32(round), f.i32(ftz), x[0], x[1], x[2]});
}

template <RoundedOp op>
void lower_arithmetic(F& f, const Instruction& i) {
  Operands x = {};
  for (unsigned n = 0; n < operand_count(op); ++n) x[n] = f.source(i, n + 1, i.type());
  f.set(i, arithmetic(f, op, x, i.type(), f.rounding(i), i[isa::Field::ftz] != 0));
}

// ---- minimum and maximum

/// A number wins over a quiet NaN; a signalling NaN wins over all and becomes quiet (PRM 4.19.4, 5.12).
llvm::Value* min_or_max_f16(F& f, const Instruction& i, bool max) {
  auto& ir = f.ir();
  constexpr isa::Type type = HSA_BRIG_TYPE_F16;
  llvm::Value *a = float_source(f, i, 1, type), *b = float_source(f, i, 2, type);
  llvm::Value* a_number = widen(f, a, type, HSA_BRIG_TYPE_F32);
  llvm::Value* b_number = widen(f, b, type, HSA_BRIG_TYPE_F32);
  llvm::Value *a_bits = f.as_bits(a), *b_bits = f.as_bits(b);
  llvm::Value *a_nan = is_nan(f, a, type), *b_nan = is_nan(f, b, type);
  llvm::Value* a_wins = max ? ir.CreateFCmpOGT(a_number, b_number) : ir.CreateFCmpOLT(a_number, b_number);
  llvm::Value* result = ir.CreateSelect(ir.CreateOr(a_wins, b_nan), a_bits, b_bits);
  // Equal numbers can differ only in the sign of zero, and -0 counts as the smaller one.
  llvm::Value* equal = ir.CreateFCmpOEQ(a_number, b_number);
  result = ir.CreateSelect(equal, max ? ir.CreateAnd(a_bits, b_bits) : ir.CreateOr(a_bits, b_bits), result);
  auto* quiet = llvm::ConstantInt::get(a_bits->getType(), float_format(type).quiet());
  const auto signals = [&](llvm::Value* bits, llvm::Value* nan) {
    auto* zero = llvm::ConstantInt::get(bits->getType(), 0);
    return ir.CreateAnd(nan, ir.CreateICmpEQ(ir.CreateAnd(bits, quiet), zero));
  };
  result = ir.CreateSelect(signals(b_bits, b_nan), ir.CreateOr(b_bits, quiet), result);
  return ir.CreateSelect(signals(a_bits, a_nan), ir.CreateOr(a_bits, quiet), result);
}

void min_or_max(F& f, const Instruction& i, bool max) {
  const isa::Type type = i.type();
  if (type == HSA_BRIG_TYPE_F16) return f.set(i, min_or_max_f16(f, i, max));
  const bool single = type == HSA_BRIG_TYPE_F32;
  const auto operation = max ? (single ? TargetOperation::max32 : TargetOperation::max64)
                             : (single ? TargetOperation::min32 : TargetOperation::min64);
  f.set(i, f.call(operation, {f.i32(i[isa::Field::ftz]), f.source(i, 1, type), f.source(i, 2, type)}));
}

// ---- rounding to integral values

llvm::Value* integral(F& f, ID id, llvm::Value* value, isa::Type type) {
  if (type != HSA_BRIG_TYPE_F16) return f.call(id, value);
  llvm::Value* wide = f.call(id, widen(f, value, type, HSA_BRIG_TYPE_F32));
  return narrow(f, wide, HSA_BRIG_TYPE_F32, type, HSA_BRIG_ROUND_FLOAT_NEAR_EVEN);  // exact
}

template <ID id>
void lower_integral(F& f, const Instruction& i) {
  f.set(i, integral(f, id, float_source(f, i, 1, i.type()), i.type()));
}

/// Computes the fraction of x, which is below 1 even if x - floor(x) rounds up to 1. The fraction of a zero
/// or an infinity is the zero of its sign. The fraction of a number that is not subnormal is not subnormal
/// either, so with ftz only x is flushed.
void lower_fract(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const isa::Type type = i.type();
  const FloatFormat format = float_format(type);
  llvm::Value* x = float_source(f, i, 1, type);
  llvm::Value* floor = integral(f, llvm::Intrinsic::floor, x, type);
  llvm::Value* difference = arithmetic(f, RoundedOp::sub, {x, floor}, type, f.rounding(i));
  llvm::Value* bits = f.as_bits(difference);
  llvm::Value* x_bits = f.as_bits(x);
  const auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(bits->getType(), value); };
  // The difference is not negative, so its bits have the order of its values. When rounding down it may be
  // -0, which becomes +0.
  const uint64_t one = format.infinity() >> 1 & ~((uint64_t{1} << format.fraction) - 1);
  llvm::Value* positive = ir.CreateAnd(bits, constant(format.sign() - 1));
  llvm::Value* below_one = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, positive, constant(one - 1));
  llvm::Value* size = ir.CreateAnd(x_bits, constant(format.sign() - 1));
  llvm::Value* signed_zero =
      ir.CreateOr(ir.CreateICmpEQ(size, constant(0)), ir.CreateICmpEQ(size, constant(format.infinity())));
  llvm::Value* result =
      ir.CreateSelect(signed_zero, ir.CreateAnd(x_bits, constant(format.sign())), below_one);
  result = ir.CreateSelect(is_nan(f, x, type), ir.CreateOr(x_bits, constant(format.quiet())), result);
  f.set(i, result);
}

// ---- bits

void lower_copysign(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const uint64_t sign = float_format(i.type()).sign();
  llvm::Value *a = f.as_bits(f.source(i, 1)), *b = f.as_bits(f.source(i, 2));
  f.set(i, ir.CreateOr(ir.CreateAnd(a, llvm::ConstantInt::get(a->getType(), sign - 1)),
                       ir.CreateAnd(b, llvm::ConstantInt::get(b->getType(), sign))));
}

/// The bits of the mask are, from low to high: signalling NaN, quiet NaN, -infinity, -normal, -subnormal, -0,
/// +0, +subnormal, +normal, +infinity (PRM 5.13).
void lower_class(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const FloatFormat format = float_format(i.source_type());
  llvm::Value* bits = f.as_bits(f.source(i, 1, i.source_type()));
  llvm::Value* mask = f.source(i, 2, HSA_BRIG_TYPE_U32);
  const auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(bits->getType(), value); };
  llvm::Value* negative = ir.CreateICmpNE(ir.CreateAnd(bits, constant(format.sign())), constant(0));
  llvm::Value* size = ir.CreateAnd(bits, constant(format.sign() - 1));
  // The search begins with zero and takes the next class for each limit that the number reaches. A class of
  // numbers has one bit for each sign.
  const auto pick = [&](uint32_t minus, uint32_t plus) {
    return ir.CreateSelect(negative, f.i32(minus), f.i32(plus));
  };
  llvm::Value* category = pick(1u << 5, 1u << 6);
  const auto at_least = [&](uint64_t limit, llvm::Value* value) {
    category = ir.CreateSelect(ir.CreateICmpUGE(size, constant(limit)), value, category);
  };
  at_least(1, pick(1u << 4, 1u << 7));
  at_least(format.smallest_normal(), pick(1u << 3, 1u << 8));
  at_least(format.infinity(), pick(1u << 2, 1u << 9));
  at_least(format.infinity() + 1, f.i32(1u << 0));
  at_least(format.infinity() | format.quiet(), f.i32(1u << 1));
  f.set(i, ir.CreateICmpNE(ir.CreateAnd(category, mask), f.i32(0)));
}

constexpr LoweringEntry floating_entries[] = {
    {HSA_BRIG_OPCODE_FMA, lower_arithmetic<RoundedOp::fma>},
    {HSA_BRIG_OPCODE_SQRT, lower_arithmetic<RoundedOp::sqrt>},
    {HSA_BRIG_OPCODE_CEIL, lower_integral<llvm::Intrinsic::ceil>},
    {HSA_BRIG_OPCODE_FLOOR, lower_integral<llvm::Intrinsic::floor>},
    {HSA_BRIG_OPCODE_RINT, lower_integral<llvm::Intrinsic::roundeven>},
    {HSA_BRIG_OPCODE_TRUNC, lower_integral<llvm::Intrinsic::trunc>},
    {HSA_BRIG_OPCODE_FRACT, lower_fract},
    {HSA_BRIG_OPCODE_COPYSIGN, lower_copysign},
    {HSA_BRIG_OPCODE_CLASS, lower_class},
};

// ---- native instructions

template <NativeOp op>
void lower_native(F& f, const Instruction& i) {
  f.set(i, f.call(TargetOperation::native, {f.i32(static_cast<uint32_t>(op)), f.source(i, 1)}));
}

llvm::Value* one(F& f, isa::Type type) {
  if (type == HSA_BRIG_TYPE_F16) return f.ir().getInt16(0x3c00);
  return llvm::ConstantFP::get(f.llvm_type(type), 1.0);
}

// HSAIL does not define the accuracy of these instructions (PRM 5.14). Here each step rounds correctly.
void lower_nrcp(F& f, const Instruction& i) {
  f.set(i, arithmetic(f, RoundedOp::div, {one(f, i.type()), f.source(i, 1)}, i.type(),
                      HSA_BRIG_ROUND_FLOAT_NEAR_EVEN));
}
void lower_nsqrt(F& f, const Instruction& i) {
  f.set(i, arithmetic(f, RoundedOp::sqrt, {f.source(i, 1)}, i.type(), HSA_BRIG_ROUND_FLOAT_NEAR_EVEN));
}
void lower_nrsqrt(F& f, const Instruction& i) {
  const auto near = HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  llvm::Value* root = arithmetic(f, RoundedOp::sqrt, {f.source(i, 1)}, i.type(), near);
  f.set(i, arithmetic(f, RoundedOp::div, {one(f, i.type()), root}, i.type(), near));
}
void lower_nfma(F& f, const Instruction& i) {
  f.set(i, arithmetic(f, RoundedOp::fma, {f.source(i, 1), f.source(i, 2), f.source(i, 3)}, i.type(),
                      HSA_BRIG_ROUND_FLOAT_NEAR_EVEN));
}

constexpr LoweringEntry native_entries[] = {
    {HSA_BRIG_OPCODE_NSIN, lower_native<NativeOp::sin>},
    {HSA_BRIG_OPCODE_NCOS, lower_native<NativeOp::cos>},
    {HSA_BRIG_OPCODE_NEXP2, lower_native<NativeOp::exp2>},
    {HSA_BRIG_OPCODE_NLOG2, lower_native<NativeOp::log2>},
    {HSA_BRIG_OPCODE_NRCP, lower_nrcp},
    {HSA_BRIG_OPCODE_NSQRT, lower_nsqrt},
    {HSA_BRIG_OPCODE_NRSQRT, lower_nrsqrt},
    {HSA_BRIG_OPCODE_NFMA, lower_nfma},
};

}  // namespace

void floating_add(F& f, const Instruction& i) { lower_arithmetic<RoundedOp::add>(f, i); }
void floating_sub(F& f, const Instruction& i) { lower_arithmetic<RoundedOp::sub>(f, i); }
void floating_mul(F& f, const Instruction& i) { lower_arithmetic<RoundedOp::mul>(f, i); }
void floating_div(F& f, const Instruction& i) { lower_arithmetic<RoundedOp::div>(f, i); }
/// mad is always fused, because an agent must make one choice for all of its mad instructions (PRM 5.13).
void floating_fma(F& f, const Instruction& i) { lower_arithmetic<RoundedOp::fma>(f, i); }
void floating_min(F& f, const Instruction& i) { min_or_max(f, i, false); }
void floating_max(F& f, const Instruction& i) { min_or_max(f, i, true); }

void floating_abs(F& f, const Instruction& i) {
  llvm::Value* bits = f.as_bits(f.source(i, 1));
  f.set(i,
        f.ir().CreateAnd(bits, llvm::ConstantInt::get(bits->getType(), float_format(i.type()).sign() - 1)));
}

void floating_neg(F& f, const Instruction& i) {
  llvm::Value* bits = f.as_bits(f.source(i, 1));
  f.set(i, f.ir().CreateXor(bits, llvm::ConstantInt::get(bits->getType(), float_format(i.type()).sign())));
}

std::span<const LoweringEntry> floating_lowerings() { return floating_entries; }
std::span<const LoweringEntry> native_lowerings() { return native_entries; }

}  // namespace heddle::finalizer
