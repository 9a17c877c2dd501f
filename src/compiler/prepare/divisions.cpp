// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/divisions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
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

}  // namespace

void expand_divisions(llvm::Function& function) {
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
