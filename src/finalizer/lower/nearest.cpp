// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/nearest.h"

namespace heddle::finalizer {
namespace {

llvm::Constant* quiet_number(llvm::Constant* element) {
  auto* number = llvm::dyn_cast<llvm::ConstantFP>(element);
  if (!number || !number->getValueAPF().isSignaling()) return element;
  return llvm::ConstantFP::get(number->getType(), number->getValueAPF().makeQuiet());
}

/// Makes the signalling NaNs of a constant quiet. LLVM's builder simplifies x - 0, x * 1 and x / 1 to x even
/// if x is a constant and a signalling NaN.
llvm::Constant* quiet(llvm::Constant* constant) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (!type) return quiet_number(constant);
  llvm::SmallVector<llvm::Constant*, 16> elements;
  for (unsigned n = 0; n < type->getNumElements(); ++n)
    elements.push_back(quiet_number(constant->getAggregateElement(n)));
  return llvm::ConstantVector::get(elements);
}

llvm::Value* operate(llvm::IRBuilder<>& ir, RoundedOp op, llvm::ArrayRef<llvm::Value*> x) {
  switch (op) {
    case RoundedOp::add:
      return ir.CreateFAdd(x[0], x[1]);
    case RoundedOp::sub:
      return ir.CreateFSub(x[0], x[1]);
    case RoundedOp::mul:
      return ir.CreateFMul(x[0], x[1]);
    case RoundedOp::div:
      return ir.CreateFDiv(x[0], x[1]);
    case RoundedOp::sqrt:
      return ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
    case RoundedOp::fma:
      return ir.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, x.take_front(3));
  }
  return x[0];
}

}  // namespace

llvm::Value* round_to_nearest(llvm::IRBuilder<>& ir, RoundedOp op, llvm::ArrayRef<llvm::Value*> x) {
  llvm::Value* result = operate(ir, op, x);
  auto* constant = llvm::dyn_cast<llvm::Constant>(result);
  return constant ? quiet(constant) : result;
}

}  // namespace heddle::finalizer
