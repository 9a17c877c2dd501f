// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar integer arithmetic (PRM 5.2, 5.4, 5.5, 5.6). The table also has the instructions that exist for both
// integers and floating point, which choose by type.
#include "finalizer/lower/floating.h"
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;
using llvm::Intrinsic::ID;

bool is_signed(const Instruction& i) { return isa::is_signed(i.type()); }

/// Lowers integer types by `integer` and all others by `floating`.
template <void (*integer)(F&, const Instruction&), void (*floating)(F&, const Instruction&)>
void by_type(F& f, const Instruction& i) {
  (isa::is_float(i.type()) ? floating : integer)(f, i);
}

// ---- add, sub, mul, mad

void integer_add(F& f, const Instruction& i) {
  llvm::Value *a = f.source(i, 1), *b = f.source(i, 2);
  if (!i[isa::Field::sat]) return f.set(i, f.ir().CreateAdd(a, b));
  f.set(i, f.ir().CreateBinaryIntrinsic(is_signed(i) ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat,
                                        a, b));
}

void integer_sub(F& f, const Instruction& i) {
  llvm::Value *a = f.source(i, 1), *b = f.source(i, 2);
  if (!i[isa::Field::sat]) return f.set(i, f.ir().CreateSub(a, b));
  f.set(i, f.ir().CreateBinaryIntrinsic(is_signed(i) ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat,
                                        a, b));
}

llvm::Value* extend(F& f, llvm::Value* value, bool is_signed, unsigned bits) {
  auto* type = value->getType()->getWithNewBitWidth(bits);
  return is_signed ? f.ir().CreateSExt(value, type) : f.ir().CreateZExt(value, type);
}

void integer_mulhi(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const unsigned bits = isa::bit_size(i.type());
  llvm::Value* product = ir.CreateMul(extend(f, f.source(i, 1), is_signed(i), 2 * bits),
                                      extend(f, f.source(i, 2), is_signed(i), 2 * bits));
  f.set(i, ir.CreateTrunc(ir.CreateLShr(product, bits), f.bits_type(i.type(), product)));
}

/// Computes a * b + c exactly in twice the width and clamps it there (PRM 5.4). `c` may be null.
llvm::Value* saturated_mad(F& f, const Instruction& i, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  auto& ir = f.ir();
  const unsigned bits = isa::bit_size(i.type());
  const bool sign = is_signed(i);
  llvm::Value* exact = ir.CreateMul(extend(f, a, sign, 2 * bits), extend(f, b, sign, 2 * bits));
  if (c) exact = ir.CreateAdd(exact, extend(f, c, sign, 2 * bits));
  const auto limit = [&](const llvm::APInt& value) {
    return llvm::ConstantInt::get(exact->getType(), sign ? value.sext(2 * bits) : value.zext(2 * bits));
  };
  if (sign) {
    exact =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, exact, limit(llvm::APInt::getSignedMaxValue(bits)));
    exact =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, exact, limit(llvm::APInt::getSignedMinValue(bits)));
  } else {
    exact = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exact, limit(llvm::APInt::getMaxValue(bits)));
  }
  return ir.CreateTrunc(exact, f.bits_type(i.type(), exact));
}

void integer_mul(F& f, const Instruction& i) {
  llvm::Value *a = f.source(i, 1), *b = f.source(i, 2);
  f.set(i, i[isa::Field::sat] ? saturated_mad(f, i, a, b, nullptr) : f.ir().CreateMul(a, b));
}

void integer_mad(F& f, const Instruction& i) {
  llvm::Value *a = f.source(i, 1), *b = f.source(i, 2), *c = f.source(i, 3);
  f.set(i, i[isa::Field::sat] ? saturated_mad(f, i, a, b, c) : f.ir().CreateAdd(f.ir().CreateMul(a, b), c));
}

// ---- division

/// Where PRM 5.2 leaves the result undefined, a zero divisor gives 0 and MIN / -1 wraps around, so that
/// LLVM's undefined behaviour is never reached.
void divide(F& f, const Instruction& i, bool remainder) {
  auto& ir = f.ir();
  llvm::Value *a = f.source(i, 1), *b = f.source(i, 2);
  auto* type = llvm::cast<llvm::IntegerType>(a->getType());
  auto* zero = llvm::ConstantInt::get(type, 0);
  auto* one = llvm::ConstantInt::get(type, 1);
  llvm::Value* by_zero = ir.CreateICmpEQ(b, zero);
  llvm::Value* unsafe = by_zero;
  llvm::Value* by_minus_one = nullptr;
  if (is_signed(i)) {
    by_minus_one = ir.CreateICmpEQ(b, llvm::ConstantInt::getSigned(type, -1));
    unsafe = ir.CreateOr(unsafe, by_minus_one);
  }
  llvm::Value* divisor = ir.CreateSelect(unsafe, one, b);
  llvm::Value* result;
  if (remainder) {
    result =
        is_signed(i) ? ir.CreateSRem(a, divisor) : ir.CreateURem(a, divisor);  // 0 when the divisor became 1
  } else {
    result = is_signed(i) ? ir.CreateSDiv(a, divisor) : ir.CreateUDiv(a, divisor);
    if (by_minus_one) result = ir.CreateSelect(by_minus_one, ir.CreateNeg(a), result);
    result = ir.CreateSelect(by_zero, zero, result);
  }
  f.set(i, result);
}

void integer_div(F& f, const Instruction& i) { divide(f, i, false); }
void integer_rem(F& f, const Instruction& i) { divide(f, i, true); }

// ---- the rest

void integer_min(F& f, const Instruction& i) {
  const ID id = is_signed(i) ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
  f.set(i, f.ir().CreateBinaryIntrinsic(id, f.source(i, 1), f.source(i, 2)));
}

void integer_max(F& f, const Instruction& i) {
  const ID id = is_signed(i) ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
  f.set(i, f.ir().CreateBinaryIntrinsic(id, f.source(i, 1), f.source(i, 2)));
}

void integer_abs(F& f, const Instruction& i) {
  f.set(i, f.ir().CreateBinaryIntrinsic(llvm::Intrinsic::abs, f.source(i, 1), f.ir().getFalse()));
}

void integer_neg(F& f, const Instruction& i) { f.set(i, f.ir().CreateNeg(f.source(i, 1))); }

void lower_borrow(F& f, const Instruction& i) {
  f.set(i, f.ir().CreateZExt(f.ir().CreateICmpULT(f.source(i, 1), f.source(i, 2)), f.bits_type(i.type())));
}

void lower_carry(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* a = f.source(i, 1);
  llvm::Value* sum = ir.CreateAdd(a, f.source(i, 2));
  f.set(i, ir.CreateZExt(ir.CreateICmpULT(sum, a), f.bits_type(i.type())));
}

/// Returns the shift amount, which counts modulo the size of the type. All elements of a packed value share
/// one amount (PRM 5.5).
llvm::Value* shift_amount(F& f, const Instruction& i, llvm::Value* shifted) {
  auto* type = shifted->getType()->getScalarType();
  llvm::Value* amount = f.ir().CreateZExtOrTrunc(f.source(i, 2, HSA_BRIG_TYPE_U32), type);
  amount = f.ir().CreateAnd(amount, llvm::ConstantInt::get(type, type->getIntegerBitWidth() - 1));
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shifted->getType());
  return vector ? f.ir().CreateVectorSplat(vector->getNumElements(), amount) : amount;
}

void lower_shl(F& f, const Instruction& i) {
  llvm::Value* a = f.source(i, 1);
  f.set(i, f.ir().CreateShl(a, shift_amount(f, i, a)));
}

void lower_shr(F& f, const Instruction& i) {
  llvm::Value* a = f.source(i, 1);
  llvm::Value* amount = shift_amount(f, i, a);
  f.set(i, is_signed(i) ? f.ir().CreateAShr(a, amount) : f.ir().CreateLShr(a, amount));
}

// ---- 24 bits (PRM 5.5)

/// Returns the product of the low 24 bits of the sources as an i64. The result for sources of more than 24
/// bits is undefined.
llvm::Value* product24(F& f, const Instruction& i) {
  auto& ir = f.ir();
  const auto low24 = [&](unsigned index) {
    llvm::Value* bits = ir.CreateTrunc(f.source(i, index), ir.getIntNTy(24));
    return extend(f, bits, is_signed(i), 64);
  };
  return ir.CreateMul(low24(1), low24(2));
}

template <bool high, bool add>
void lower_mul24(F& f, const Instruction& i) {
  auto& ir = f.ir();
  llvm::Value* product = product24(f, i);
  if (high) product = is_signed(i) ? ir.CreateAShr(product, 32) : ir.CreateLShr(product, 32);
  llvm::Value* result = ir.CreateTrunc(product, ir.getInt32Ty());
  if (add) result = ir.CreateAdd(result, f.source(i, 3));
  f.set(i, result);
}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_ABS, by_type<integer_abs, floating_abs>},
    {HSA_BRIG_OPCODE_ADD, by_type<integer_add, floating_add>},
    {HSA_BRIG_OPCODE_BORROW, lower_borrow},
    {HSA_BRIG_OPCODE_CARRY, lower_carry},
    {HSA_BRIG_OPCODE_DIV, by_type<integer_div, floating_div>},
    {HSA_BRIG_OPCODE_MAD, by_type<integer_mad, floating_fma>},
    {HSA_BRIG_OPCODE_MAX, by_type<integer_max, floating_max>},
    {HSA_BRIG_OPCODE_MIN, by_type<integer_min, floating_min>},
    {HSA_BRIG_OPCODE_MUL, by_type<integer_mul, floating_mul>},
    {HSA_BRIG_OPCODE_MULHI, by_type<integer_mulhi, integer_mulhi>},
    {HSA_BRIG_OPCODE_NEG, by_type<integer_neg, floating_neg>},
    {HSA_BRIG_OPCODE_REM, integer_rem},
    {HSA_BRIG_OPCODE_SUB, by_type<integer_sub, floating_sub>},
    {HSA_BRIG_OPCODE_SHL, lower_shl},
    {HSA_BRIG_OPCODE_SHR, lower_shr},
    {HSA_BRIG_OPCODE_MUL24, lower_mul24<false, false>},
    {HSA_BRIG_OPCODE_MUL24HI, lower_mul24<true, false>},
    {HSA_BRIG_OPCODE_MAD24, lower_mul24<false, true>},
    {HSA_BRIG_OPCODE_MAD24HI, lower_mul24<true, true>},
};

}  // namespace

std::span<const LoweringEntry> integer_lowerings() { return entries; }

}  // namespace heddle::finalizer
