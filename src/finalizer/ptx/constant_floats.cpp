// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/constant_floats.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::Constant;
using llvm::Instruction;
using llvm::Value;

/// How many operations and choices are looked through behind each other.
constexpr unsigned depth_max = 8;

bool is_truth(const Value& value) { return value.getType()->isIntegerTy(1); }

/// Returns the one operand of an operation that is no constant, or null if there is none or more than one.
Value* only_variable(const Instruction& operation) {
  Value* found = nullptr;
  for (Value* operand : operation.operands()) {
    if (llvm::isa<Constant>(operand)) continue;
    if (found) return nullptr;
    found = operand;
  }
  return found;
}

/// GPUs make one pattern of all that are not numbers, where LLVM keeps some of the bits.
Constant* as_on_gpu(const Instruction& operation, Constant* result) {
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(result);
  if (!llvm::isa<llvm::FPExtInst>(operation) || !number || !number->isNaN()) return result;
  if (!result->getType()->isFloatTy()) return result;
  const llvm::APFloat pattern(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fffffff));
  return llvm::ConstantFP::get(result->getContext(), pattern);
}

/// Rewrites one value. The operations between a choice and the value are applied to the constants instead.
class Rewriting {
 public:
  explicit Rewriting(Instruction& value) : value_(value), ir_(&value) {}

  bool run() {
    if (!apply_behind(value_, 0)) return false;
    Value* chosen = rebuild(*only_variable(value_));
    value_.replaceAllUsesWith(chosen);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&value_);
    return true;
  }

 private:
  bool apply_behind(Instruction& operation, unsigned depth);
  bool is_choice(Value& value, unsigned depth);
  Constant* applied(Constant* constant) const;
  Value* rebuild(Value& value);

  Instruction& value_;
  llvm::IRBuilder<> ir_;
  llvm::SmallVector<Instruction*, depth_max> operations_;  ///< from value_ towards the choice
};

/// Notes an operation if what it is applied to is chosen among constants.
bool Rewriting::apply_behind(Instruction& operation, unsigned depth) {
  if (!llvm::isa<llvm::CastInst, llvm::BinaryOperator, llvm::ExtractElementInst>(operation)) return false;
  Value* source = only_variable(operation);
  if (!source || depth == depth_max) return false;
  operations_.push_back(&operation);
  return is_choice(*source, depth + 1);
}

bool Rewriting::is_choice(Value& value, unsigned depth) {
  if (depth == depth_max) return false;
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
    if (!is_truth(*select->getCondition())) return false;
    const size_t before = operations_.size();
    const auto is_fixed = [&](Value* arm) {
      return (llvm::isa<Constant>(arm) && applied(llvm::cast<Constant>(arm))) ||
             (!llvm::isa<Constant>(arm) && is_choice(*arm, depth + 1) && operations_.size() == before);
    };
    return is_fixed(select->getTrueValue()) && is_fixed(select->getFalseValue());
  }
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value) &&
      is_truth(*llvm::cast<Instruction>(value).getOperand(0)))
    return true;
  auto* operation = llvm::dyn_cast<Instruction>(&value);
  return operation && apply_behind(*operation, depth);
}

/// What the operations make of a constant; null if that is not known.
Constant* Rewriting::applied(Constant* constant) const {
  const llvm::DataLayout& layout = value_.getDataLayout();
  for (Instruction* operation : llvm::reverse(operations_)) {
    llvm::SmallVector<Constant*, 2> operands;
    for (Value* operand : operation->operands())
      operands.push_back(llvm::isa<Constant>(operand) ? llvm::cast<Constant>(operand) : constant);
    constant = llvm::ConstantFoldInstOperands(operation, operands, layout);
    if (!constant || llvm::isa<llvm::ConstantExpr>(constant)) return nullptr;
    constant = as_on_gpu(*operation, constant);
  }
  return constant;
}

/// The choice among what the operations make of the constants.
Value* Rewriting::rebuild(Value& value) {
  if (auto* constant = llvm::dyn_cast<Constant>(&value)) return applied(constant);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&value))
    return ir_.CreateSelect(select->getCondition(), rebuild(*select->getTrueValue()),
                            rebuild(*select->getFalseValue()));
  auto& operation = llvm::cast<Instruction>(value);
  if (!is_truth(*operation.getOperand(0))) return rebuild(*only_variable(operation));
  const bool is_signed = llvm::isa<llvm::SExtInst>(operation);
  Constant* one = llvm::ConstantInt::get(operation.getType(), is_signed ? ~uint64_t{0} : 1, is_signed);
  return ir_.CreateSelect(operation.getOperand(0), applied(one),
                          applied(llvm::Constant::getNullValue(operation.getType())));
}

/// Whether a value is a pattern that is taken for a number. There is no choice among numbers of 16 bits, so
/// these are followed to the numbers of 32 bits that are made of them.
bool is_pattern_as_number(const Instruction& value) {
  if (!value.getType()->isFloatTy() && !value.getType()->isDoubleTy()) return false;
  const llvm::Type* source = value.getOperand(0)->getType();
  return llvm::isa<llvm::BitCastInst>(value) ? source->isIntOrIntVectorTy()
                                             : llvm::isa<llvm::FPExtInst>(value);
}

}  // namespace

void choose_constants_as_floats(llvm::Module& module) {
  llvm::SmallVector<Instruction*, 16> numbers;
  for (llvm::Function& function : module)
    for (Instruction& instruction : llvm::instructions(function))
      if (instruction.getNumOperands() != 0 && is_pattern_as_number(instruction))
        numbers.push_back(&instruction);
  for (Instruction* number : numbers) Rewriting(*number).run();
}

}  // namespace heddle::finalizer::ptx
