// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/narrow_integers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::Instruction;
using llvm::Value;

bool is_narrow(const llvm::Type& type) {
  const unsigned bits = type.getScalarSizeInBits();
  return type.isIntOrIntVectorTy() && bits > 1 && bits <= 16;
}

/// Which of the two extensions the operands of an operation need, if it has to be done with more bits.
enum class Extension : uint8_t { none, zero, sign };

Extension extension_of(const llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::UDiv:
    case Instruction::URem:
      return Extension::zero;
    case Instruction::AShr:
    case Instruction::SDiv:
    case Instruction::SRem:
      return Extension::sign;
    default:
      return Extension::none;
  }
}

Extension extension_of(const llvm::IntrinsicInst& operation) {
  switch (operation.getIntrinsicID()) {
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
      return Extension::zero;
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::abs:
      return Extension::sign;
    default:
      return Extension::none;
  }
}

/// Widens one operation.
class Widening {
 public:
  Widening(Instruction& operation, Extension extension)
      : operation_(operation),
        extension_(extension),
        ir_(&operation),
        narrow_(operation.getOperand(0)->getType()),
        wide_(narrow_->getWithNewBitWidth(32)) {}

  void run() {
    Value* result = widened();
    if (result->getType() == wide_) result = ir_.CreateTrunc(result, narrow_);
    operation_.replaceAllUsesWith(result);
    operation_.eraseFromParent();
  }

 private:
  Value* operand(unsigned index) { return extended(operation_.getOperand(index), extension_); }
  Value* extended(Value* value, Extension how) {
    return how == Extension::sign ? ir_.CreateSExt(value, wide_) : ir_.CreateZExt(value, wide_);
  }
  llvm::Constant* number(const llvm::APInt& value) { return llvm::ConstantInt::get(wide_, value); }

  Value* widened() {
    if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&operation_))
      return ir_.CreateICmp(comparison->getPredicate(), operand(0), operand(1));
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&operation_))
      // The amount of a shift is no signed number.
      return ir_.CreateBinOp(
          binary->getOpcode(), operand(0),
          extended(binary->getOperand(1),
                   binary->getOpcode() == Instruction::AShr ? Extension::zero : extension_));
    return widened(llvm::cast<llvm::IntrinsicInst>(operation_));
  }

  Value* widened(const llvm::IntrinsicInst& operation) {
    const unsigned bits = narrow_->getScalarSizeInBits();
    switch (const auto id = operation.getIntrinsicID()) {
      case llvm::Intrinsic::abs:
        return ir_.CreateBinaryIntrinsic(id, operand(0), ir_.getFalse());
      case llvm::Intrinsic::uadd_sat:
        return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir_.CreateAdd(operand(0), operand(1)),
                                         number(llvm::APInt::getMaxValue(bits).zext(32)));
      case llvm::Intrinsic::usub_sat:
        return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, ir_.CreateSub(operand(0), operand(1)),
                                         llvm::Constant::getNullValue(wide_));
      case llvm::Intrinsic::sadd_sat:
        return limited(ir_.CreateAdd(operand(0), operand(1)), bits);
      case llvm::Intrinsic::ssub_sat:
        return limited(ir_.CreateSub(operand(0), operand(1)), bits);
      default:
        return ir_.CreateBinaryIntrinsic(id, operand(0), operand(1));
    }
  }

  Value* limited(Value* value, unsigned bits) {
    value = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                      number(llvm::APInt::getSignedMaxValue(bits).sext(32)));
    return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                     number(llvm::APInt::getSignedMinValue(bits).sext(32)));
  }

  Instruction& operation_;
  const Extension extension_;
  llvm::IRBuilder<> ir_;
  llvm::Type* const narrow_;
  llvm::Type* const wide_;
};

Extension extension_of(const Instruction& instruction) {
  if (instruction.getNumOperands() == 0 || !is_narrow(*instruction.getOperand(0)->getType()))
    return Extension::none;
  if (const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return comparison->isSigned() ? Extension::sign : Extension::zero;
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return extension_of(*binary);
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic ? extension_of(*intrinsic) : Extension::none;
}

}  // namespace

void widen_narrow_integers(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (const Extension extension = extension_of(instruction); extension != Extension::none)
        Widening(instruction, extension).run();
}

}  // namespace heddle::finalizer::ptx
