// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/divisions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/IntegerDivision.h>

namespace heddle::compiler {

namespace {

bool is_wide_division(const llvm::Instruction& instruction) {
  return (instruction.isIntDivRem() && instruction.getType()->getScalarSizeInBits() > 64);
}

void expand(llvm::BinaryOperator& operation) {
  const bool quotient =
      operation.getOpcode() == llvm::Instruction::UDiv || operation.getOpcode() == llvm::Instruction::SDiv;
  if (quotient) {
    llvm::expandDivision(&operation);
  } else {
    llvm::expandRemainder(&operation);
  }
}

// Replaces an operation on vectors by one for each element, which it adds to `scalars`.
void split(llvm::BinaryOperator& operation, llvm::SmallVectorImpl<llvm::BinaryOperator*>& scalars) {
  llvm::IRBuilder<> builder(&operation);
  llvm::Value* result = llvm::PoisonValue::get(operation.getType());
  const unsigned count = llvm::cast<llvm::FixedVectorType>(operation.getType())->getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    llvm::Value* first = builder.CreateExtractElement(operation.getOperand(0), i);
    llvm::Value* second = builder.CreateExtractElement(operation.getOperand(1), i);
    auto* scalar =
        llvm::BinaryOperator::Create(operation.getOpcode(), first, second, "", operation.getIterator());
    scalars.push_back(scalar);
    result = builder.CreateInsertElement(result, scalar, i);
  }
  operation.replaceAllUsesWith(result);
  operation.eraseFromParent();
}

// llvm.fshl and llvm.fshr: the amount counts modulo the width, so that one of the two shifts could be by the
// whole width. It is done in two steps therefore.
void expand_funnel_shift(llvm::IntrinsicInst& shift) {
  llvm::IRBuilder<> builder(&shift);
  llvm::Type* type = shift.getType();
  const unsigned width = type->getScalarSizeInBits();
  llvm::Value* amount = builder.CreateURem(shift.getArgOperand(2), llvm::ConstantInt::get(type, width));
  llvm::Value* rest = builder.CreateSub(llvm::ConstantInt::get(type, width - 1), amount);
  llvm::Value* one = llvm::ConstantInt::get(type, 1);
  llvm::Value* high = shift.getArgOperand(0);
  llvm::Value* low = shift.getArgOperand(1);
  if (shift.getIntrinsicID() == llvm::Intrinsic::fshl) {
    high = builder.CreateShl(high, amount);
    low = builder.CreateLShr(builder.CreateLShr(low, one), rest);
  } else {
    high = builder.CreateShl(builder.CreateShl(high, one), rest);
    low = builder.CreateLShr(low, amount);
  }
  shift.replaceAllUsesWith(builder.CreateOr(high, low));
  shift.eraseFromParent();
}

void expand_funnel_shifts(llvm::Function& function) {
  llvm::SmallVector<llvm::IntrinsicInst*, 4> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic == nullptr || intrinsic->getType()->getScalarSizeInBits() <= 64) continue;
    const llvm::Intrinsic::ID id = intrinsic->getIntrinsicID();
    if (id == llvm::Intrinsic::fshl || id == llvm::Intrinsic::fshr) found.push_back(intrinsic);
  }
  for (llvm::IntrinsicInst* shift : found) expand_funnel_shift(*shift);
}

}  // namespace

void expand_divisions(llvm::Function& function) {
  expand_funnel_shifts(function);
  llvm::SmallVector<llvm::BinaryOperator*, 4> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_wide_division(instruction)) found.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
  }
  llvm::SmallVector<llvm::BinaryOperator*, 4> scalars;
  for (llvm::BinaryOperator* operation : found) {
    if (operation->getType()->isVectorTy()) {
      split(*operation, scalars);
    } else {
      scalars.push_back(operation);
    }
  }
  for (llvm::BinaryOperator* operation : scalars) expand(*operation);
}

}  // namespace heddle::compiler
