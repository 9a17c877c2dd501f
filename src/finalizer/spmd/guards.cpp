// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/guards.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "finalizer/spmd/shape_arithmetic.h"

namespace heddle::finalizer::spmd {

using llvm::CastInst;
using llvm::Instruction;
using llvm::Value;

std::optional<llvm::ConstantRange> usual_range(const Value& number, const Shapes& shapes, bool is_signed,
                                               unsigned lanes) {
  const Shape shape = shapes.where_guarded(number);
  if (!shape.is_strided()) return std::nullopt;
  const Numbers numbers = {number.getType()->getIntegerBitWidth(), lanes};
  auto range = permitted_range(shape.stride, numbers, is_signed);
  if (!range) return std::nullopt;
  const llvm::ConstantRange others = range->inverse();
  constexpr unsigned unusual_bits = 8;  // at most one of 2^8 values may be among the others
  const unsigned other_bits = (others.getUpper() - others.getLower()).getActiveBits();
  return other_bits + unusual_bits <= numbers.bits ? range : std::nullopt;
}

namespace {

std::optional<Assumption> find_assumption(const Instruction& guard, const Shapes& shapes, unsigned lanes) {
  return assumption_about(guard, [&](const Value& value) { return shapes.where_guarded(value); }, lanes);
}

}  // namespace

Assumption assumption_about_guard(const Instruction& guard, const Shapes& shapes, unsigned lanes) {
  const auto assumption = find_assumption(guard, shapes, lanes);
  assert(assumption && "only usual guards are tested");
  return *assumption;
}

bool are_usual(const GuardedShape& guarded, const Shapes& shapes, unsigned lanes) {
  return llvm::all_of(guarded.guards, [&](const Instruction* guard) {
    const bool is_signed = guard->getOpcode() == Instruction::SExt;
    return find_assumption(*guard, shapes, lanes) &&
           (!llvm::isa<CastInst>(guard) || usual_range(*guard->getOperand(0), shapes, is_signed, lanes));
  });
}

namespace {

/// The address of one lane is computed once more for each access, so it must not take long.
constexpr unsigned longest_address = 16;

/// Reports whether an instruction computes its result from its operands alone.
bool is_pure(const Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, CastInst, llvm::GetElementPtrInst, llvm::SelectInst, llvm::ICmpInst,
                   llvm::FreezeInst, llvm::MinMaxIntrinsic>(instruction) &&
         !llvm::is_contained({Instruction::UDiv, Instruction::SDiv, Instruction::URem, Instruction::SRem},
                             instruction.getOpcode());
}

/// Reports whether a value follows from values that are not varying by few pure instructions, which are taken
/// from `left`.
bool is_short(const Value& value, const Shapes& shapes, unsigned& left) {
  if (!shapes.of(value).is_varying()) return true;
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (!instruction || !is_pure(*instruction) || left == 0) return false;
  --left;
  return llvm::all_of(instruction->operands(),
                      [&](const Value* operand) { return is_short(*operand, shapes, left); });
}

}  // namespace

void GuardedAccesses::find(const Instruction& access, const Shapes& shapes, unsigned lanes) {
  const Value* address = llvm::getLoadStorePointerOperand(&access);
  if (!address || access.isVolatile() || access.isAtomic() || !shapes.of(*address).is_varying()) return;
  const GuardedShape* guarded = shapes.guarded(*address);
  if (!guarded) return;
  const auto bytes = static_cast<int64_t>(
      access.getDataLayout().getTypeSizeInBits(llvm::getLoadStoreType(&access)).getFixedValue() / 8);
  if (!guarded->shape.is_uniform() && std::abs(guarded->shape.stride) != bytes) return;
  const auto is_short = [&](const Value* value) {
    unsigned left = longest_address;
    return spmd::is_short(*value, shapes, left);
  };
  // What the guards test need not be a part of the address, if that is the same with and without a phi.
  const bool can_test =
      llvm::all_of(guarded->guards, [&](const Instruction* guard) { return is_short(guard); });
  if (are_usual(*guarded, shapes, lanes) && can_test && is_short(address)) accesses_[&access] = guarded;
}

/// Reports whether an instruction is used for nothing but addresses of guarded accesses.
bool GuardedAccesses::serves_addresses(const Instruction& instruction, const Shapes& shapes) const {
  const llvm::Type& type = *instruction.getType();
  if (type.isVoidTy() || type.isIntegerTy(1)) return false;  // an i1 may be a mask, too
  if (!shapes.of(instruction).is_varying() || !is_pure(instruction)) return false;
  return llvm::all_of(instruction.uses(), [&](const llvm::Use& use) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    if (of(*user))
      return llvm::getLoadStorePointerOperand(user) == &instruction &&
             use.getOperandNo() == user->getNumOperands() - 1;
    return is_part_of_address(*user);
  });
}

GuardedAccesses::GuardedAccesses(const SpmdFunction& state, unsigned lanes) {
  for (const Instruction& instruction : llvm::instructions(state.function))
    find(instruction, state.shapes, lanes);
  llvm::SmallVector<const Instruction*, 16> pending;
  const auto add_operands = [&](const Instruction& user) {
    for (const Value* operand : user.operands())
      if (const auto* next = llvm::dyn_cast<Instruction>(operand)) pending.push_back(next);
  };
  for (const auto& [access, guarded] : accesses_) add_operands(*access);
  while (!pending.empty()) {
    const Instruction* next = pending.pop_back_val();
    if (parts_.contains(next) || !serves_addresses(*next, state.shapes)) continue;
    parts_.insert(next);
    add_operands(*next);
  }
}

}  // namespace heddle::finalizer::spmd
