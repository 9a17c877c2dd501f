// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/narrow.h"

#include <algorithm>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::ICmpInst;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

constexpr unsigned most_bits = 16;
constexpr size_t most_operations = 64;

/// A comparison, and the operations that lead from extended narrow integers to its operands.
class Narrowing {
 public:
  explicit Narrowing(ICmpInst& comparison) : comparison_(comparison) {}

  /// Narrows the comparison, if no number can have more than 16 bits and none is needed with all bits as
  /// well.
  bool run();

 private:
  bool fits(Value& value);
  uint64_t limit_of(Value& value);
  uint64_t limit_of_result(Instruction& operation);
  bool is_used_elsewhere() const;
  Value* narrowed(Value& value);
  Value* create(Instruction& operation);

  ICmpInst& comparison_;
  llvm::SetVector<Instruction*> operations_;
  llvm::DenseMap<Value*, uint64_t> limits_;
  llvm::DenseMap<Value*, Value*> made_;
  unsigned bits_ = 8;     ///< which all numbers fit into
  unsigned sources_ = 0;  ///< extended narrow integers
};

constexpr uint64_t unlimited = ~uint64_t{0};

/// The operands of an operation that are numbers.
llvm::iterator_range<llvm::User::op_iterator> numbers(Instruction& operation) {
  return llvm::drop_begin(operation.operands(), llvm::isa<llvm::SelectInst>(operation) ? 1 : 0);
}

/// Looks at a value and all that it is computed from. Reports whether none of these numbers can have too many
/// bits.
bool Narrowing::fits(Value& value) {
  const uint64_t limit = limit_of(value);
  bits_ = std::max(bits_, limit ? llvm::Log2_64(limit) + 1 : 1);
  return bits_ <= most_bits;
}

/// Returns a number that a value is never greater than.
uint64_t Narrowing::limit_of(Value& value) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) return constant->getZExtValue();
  if (const auto known = limits_.find(&value); known != limits_.end()) return known->second;
  if (const auto* source = llvm::dyn_cast<llvm::ZExtInst>(&value)) {
    const unsigned width = source->getSrcTy()->getIntegerBitWidth();
    sources_ += width > 1;
    return limits_[&value] = llvm::maskTrailingOnes<uint64_t>(width);
  }
  auto* operation = llvm::dyn_cast<Instruction>(&value);
  if (!operation || operations_.size() == most_operations) return unlimited;
  if (!operations_.insert(operation)) return unlimited;  // it uses itself, as only unreachable code can
  const uint64_t limit = limit_of_result(*operation);
  return limits_[&value] = limit;
}

/// Operations whose narrow result does not depend on other bits than those of narrow operands.
uint64_t Narrowing::limit_of_result(Instruction& operation) {
  llvm::SmallVector<uint64_t, 2> limits;
  const auto operands_fit = [&] {
    for (Value* operand : numbers(operation)) {
      if (!fits(*operand)) return false;
      limits.push_back(limit_of(*operand));
    }
    return true;
  };
  switch (operation.getOpcode()) {
    case Instruction::Add:
      return operands_fit() ? limits[0] + limits[1] : unlimited;
    case Instruction::Mul:
      return operands_fit() ? limits[0] * limits[1] : unlimited;
    case Instruction::And:
      return operands_fit() ? std::min(limits[0], limits[1]) : unlimited;
    case Instruction::Or:
    case Instruction::Xor:
      return operands_fit() ? llvm::PowerOf2Ceil((limits[0] | limits[1]) + 1) - 1 : unlimited;
    case Instruction::Select:
      return operands_fit() ? std::max(limits[0], limits[1]) : unlimited;
    default:
      return unlimited;
  }
}

bool Narrowing::is_used_elsewhere() const {
  return llvm::any_of(operations_, [&](Instruction* operation) {
    return llvm::any_of(operation->users(), [&](llvm::User* user) {
      return user != &comparison_ && !operations_.contains(llvm::cast<Instruction>(user));
    });
  });
}

Value* Narrowing::narrowed(Value& value) {
  Type* type = Type::getIntNTy(value.getContext(), bits_);
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value))
    return llvm::ConstantInt::get(type, constant->getZExtValue());
  if (Value* made = made_.lookup(&value)) return made;
  auto* source = llvm::dyn_cast<llvm::ZExtInst>(&value);
  Value* narrow = source ? llvm::IRBuilder<>(source).CreateZExt(source->getOperand(0), type)
                         : create(llvm::cast<Instruction>(value));
  return made_[&value] = narrow;
}

Value* Narrowing::create(Instruction& operation) {
  llvm::SmallVector<Value*, 2> operands;
  for (Value* operand : numbers(operation)) operands.push_back(narrowed(*operand));
  llvm::IRBuilder<> ir(&operation);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&operation))
    return ir.CreateSelect(select->getCondition(), operands[0], operands[1]);
  return ir.CreateBinOp(llvm::cast<llvm::BinaryOperator>(operation).getOpcode(), operands[0], operands[1]);
}

bool Narrowing::run() {
  Value &a = *comparison_.getOperand(0), &b = *comparison_.getOperand(1);
  if (!fits(a) || !fits(b) || operations_.empty() || sources_ < 2 || is_used_elsewhere()) return false;
  bits_ = bits_ <= 8 ? 8 : most_bits;
  // Numbers that fit are not negative.
  const auto predicate = ICmpInst::getUnsignedPredicate(comparison_.getPredicate());
  Value *narrow_a = narrowed(a), *narrow_b = narrowed(b);
  comparison_.replaceAllUsesWith(llvm::IRBuilder<>(&comparison_).CreateICmp(predicate, narrow_a, narrow_b));
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&comparison_);
  return true;
}

}  // namespace

bool narrow_comparisons(llvm::Function& function) {
  llvm::SmallVector<llvm::WeakVH, 16> comparisons;  // one may disappear together with another
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* comparison = llvm::dyn_cast<ICmpInst>(&instruction);
    const Type* type = comparison ? comparison->getOperand(0)->getType() : nullptr;
    if (type && (type->isIntegerTy(32) || type->isIntegerTy(64))) comparisons.push_back(comparison);
  }
  bool changed = false;
  for (const llvm::WeakVH& comparison : comparisons)
    if (comparison) changed |= Narrowing(*llvm::cast<ICmpInst>(comparison)).run();
  return changed;
}

}  // namespace heddle::finalizer::spmd
