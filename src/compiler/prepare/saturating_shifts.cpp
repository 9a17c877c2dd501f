// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/saturating_shifts.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace heddle::compiler {

namespace {

bool is_saturating_shift(const llvm::IntrinsicInst& intrinsic) {
  return intrinsic.getIntrinsicID() == llvm::Intrinsic::sshl_sat ||
         intrinsic.getIntrinsicID() == llvm::Intrinsic::ushl_sat;
}

/// Returns what a shift of `value` yields that loses bits.
llvm::Value* limit(llvm::IRBuilder<>& builder, llvm::Value* value, bool is_signed) {
  llvm::Type* type = value->getType();
  if (!is_signed) return llvm::Constant::getAllOnesValue(type);
  const unsigned width = type->getScalarSizeInBits();
  llvm::Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width));
  llvm::Value* greatest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(width));
  llvm::Value* is_negative = builder.CreateICmpSLT(value, llvm::Constant::getNullValue(type));
  return builder.CreateSelect(is_negative, least, greatest);
}

void expand(llvm::IntrinsicInst& shift) {
  llvm::IRBuilder<> builder(&shift);
  const bool is_signed = shift.getIntrinsicID() == llvm::Intrinsic::sshl_sat;
  llvm::Value* value = shift.getArgOperand(0);
  llvm::Value* amount = shift.getArgOperand(1);
  llvm::Value* shifted = builder.CreateShl(value, amount);
  llvm::Value* back = is_signed ? builder.CreateAShr(shifted, amount) : builder.CreateLShr(shifted, amount);
  llvm::Value* result =
      builder.CreateSelect(builder.CreateICmpEQ(back, value), shifted, limit(builder, value, is_signed));
  shift.replaceAllUsesWith(result);
  shift.eraseFromParent();
}

}  // namespace

void expand_saturating_shifts(llvm::Function& function) {
  llvm::SmallVector<llvm::IntrinsicInst*, 4> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic != nullptr && is_saturating_shift(*intrinsic)) found.push_back(intrinsic);
  }
  for (llvm::IntrinsicInst* shift : found) expand(*shift);
}

}  // namespace heddle::compiler
