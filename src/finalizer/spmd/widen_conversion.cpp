// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_conversion.h"

#include <llvm/ADT/APFloat.h>

namespace heddle::finalizer::spmd {

using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

/// Returns 2^exponent.
static Value* power_of_two(Type* type, unsigned exponent) {
  const llvm::APFloat one(type->getScalarType()->getFltSemantics(), 1);
  const llvm::APFloat power = scalbn(one, static_cast<int>(exponent), llvm::APFloat::rmNearestTiesToEven);
  assert(power.isFinite() && "f16 does not hold the limits of integers; lowering converts from f32");
  return llvm::ConstantFP::get(type, power);
}

/// Converts numbers of floating point to integers of up to 32 bits. A conversion of what does not fit is
/// poison in LLVM. Such lanes choose another value, and `freeze` keeps the poison from the choice.
static Value* saturate(IRBuilder<>& ir, Value* from, Type* to, bool is_signed) {
  const unsigned bits = to->getScalarSizeInBits();
  Value* beyond = power_of_two(from->getType(), is_signed ? bits - 1 : bits);
  Value* lowest = is_signed ? ir.CreateFNeg(beyond) : llvm::ConstantFP::getZero(from->getType());
  // This is one instruction for the maximum, which makes NaN the lowest number.
  Value* number = ir.CreateSelect(ir.CreateFCmpOGT(from, lowest), from, lowest);
  Type* integer = to->getWithNewType(ir.getInt32Ty());
  Value* converted =
      is_signed || bits < 32 ? ir.CreateFPToSI(number, integer) : ir.CreateFPToUI(number, integer);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  Value* result = ir.CreateSelect(ir.CreateFCmpOGE(from, beyond),
                                  llvm::ConstantInt::get(integer, most.zext(32)), ir.CreateFreeze(converted));
  if (is_signed)
    result = ir.CreateSelect(ir.CreateFCmpORD(from, from), result, llvm::Constant::getNullValue(integer));
  return ir.CreateTrunc(result, to);
}

bool widen_conversion(Widening& w, const llvm::CallInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const bool is_signed = id == llvm::Intrinsic::fptosi_sat;
  if (!is_signed && id != llvm::Intrinsic::fptoui_sat) return false;
  if (call.getType()->getScalarSizeInBits() > 32) return false;
  assert(w.is_varying(call));
  Type* to = part_type(*call.getType(), w.wave());
  Parts results;
  for (Value* part : w.parts(*call.getArgOperand(0)))
    results.push_back(saturate(w.ir(), part, to, is_signed));
  w.set_parts(call, results);
  return true;
}

}  // namespace heddle::finalizer::spmd
