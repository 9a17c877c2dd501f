// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/tidy.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::PHINode;
using llvm::SelectInst;
using llvm::Value;
namespace match = llvm::PatternMatch;

// ---- simplification

/// Returns the operand of a phi, if it has only one apart from itself and poison.
Value* only_value(const PHINode& phi, const llvm::DominatorTree& dominators) {
  Value* only = nullptr;
  bool has_poison = false;
  for (Value* value : phi.incoming_values()) {
    if (value == &phi) continue;
    const bool is_poison = llvm::isa<llvm::PoisonValue>(value);
    has_poison |= is_poison;
    if (is_poison || value == only) continue;
    if (only) return nullptr;
    only = value;
  }
  if (!only) return llvm::PoisonValue::get(phi.getType());
  return !has_poison || dominators.dominates(only, &phi) ? only : nullptr;
}

/// Returns the mask that two masks restrict, one to the work-items with a condition, the other to those
/// without it.
Value* whole_of_parts(Value* a, Value* b) {
  Value *mask = nullptr, *condition = nullptr;
  for (int i = 0; i < 2; ++i, std::swap(a, b))
    if (match::match(a, match::m_Select(match::m_Value(mask), match::m_Value(condition), match::m_Zero())) &&
        match::match(b, match::m_Select(match::m_Specific(mask), match::m_Not(match::m_Specific(condition)),
                                        match::m_Zero())))
      return mask;
  return nullptr;
}

Value* simplified_or(const Instruction& join) {
  Value *a = join.getOperand(0), *b = join.getOperand(1);
  if (a == b || match::match(b, match::m_Zero())) return a;
  if (match::match(a, match::m_Zero())) return b;
  return whole_of_parts(a, b);
}

Value* simplified_select(const SelectInst& select) {
  Value *yes = select.getOperand(1), *no = select.getOperand(2);
  return yes == no || llvm::isa<llvm::PoisonValue>(no) ? yes : nullptr;
}

/// Returns a simpler value that an instruction can be replaced with, or null.
Value* simplified(const Instruction& instruction, const llvm::DominatorTree& dominators) {
  if (const auto* phi = llvm::dyn_cast<PHINode>(&instruction)) return only_value(*phi, dominators);
  if (const auto* select = llvm::dyn_cast<SelectInst>(&instruction)) return simplified_select(*select);
  return instruction.getOpcode() == Instruction::Or ? simplified_or(instruction) : nullptr;
}

class Simplifier {
 public:
  Simplifier(SpmdFunction& state, llvm::DenseSet<Instruction*>& added)
      : state_(state), dominators_(state.function), added_(added) {}

  /// Simplifies instructions until nothing changes. Removes those that are gone from the set.
  void run() {
    for (Instruction& instruction : llvm::instructions(state_.function)) revisit(&instruction);
    while (!pending_.empty()) {
      Instruction* instruction = pending_.pop_back_val();
      if (Value* simple = simplified(*instruction, dominators_)) {
        for (llvm::User* user : instruction->users()) revisit(user);
        instruction->replaceAllUsesWith(simple);
      }
      // Handles refer to the masks of blocks, which need no other use.
      if (llvm::isInstructionTriviallyDead(instruction) && !instruction->hasValueHandle())
        remove(*instruction);
    }
  }

 private:
  void revisit(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction && added_.contains(instruction)) pending_.insert(instruction);
  }

  void remove(Instruction& instruction) {
    added_.erase(&instruction);
    pending_.remove(&instruction);
    for (Value* operand : instruction.operands()) revisit(operand);
    state_.shapes.erase(instruction);
    instruction.eraseFromParent();
  }

  SpmdFunction& state_;
  const llvm::DominatorTree dominators_;
  llvm::DenseSet<Instruction*>& added_;
  llvm::SetVector<Instruction*> pending_;
};

// ---- shapes

Shape shape_of(const Value& value, const Shapes& shapes) {
  return llvm::isa<llvm::UndefValue>(value) ? Shape{} : shapes.of(value);
}

/// Returns the shape of a phi or `select` whose work-items all choose the same operand.
Shape shape_of_choice(const llvm::User& choice, unsigned first, const Shapes& shapes) {
  Shape shape;
  for (unsigned i = first; i < choice.getNumOperands(); ++i)
    shape = join(shape, shape_of(*choice.getOperand(i), shapes));
  return shape;
}

Shape shape_of(const Instruction& instruction, const Shapes& shapes) {
  if (tested_mask(instruction)) return Shape::uniform();
  // No branch is divergent any more, so all work-items that come to a phi come from the same block.
  if (llvm::isa<PHINode>(instruction)) return shape_of_choice(instruction, 0, shapes);
  const auto is_unknown = [&](const Value* v) { return shapes.of(*v).kind == Shape::Kind::bottom; };
  const auto is_uniform = [&](const Value* v) { return is_unknown(v) || shapes.is_uniform(*v); };
  if (llvm::isa<SelectInst>(instruction) && is_uniform(instruction.getOperand(0)))
    return is_unknown(instruction.getOperand(0)) ? Shape{} : shape_of_choice(instruction, 1, shapes);
  if (!llvm::all_of(instruction.operands(), is_uniform)) return Shape::varying();
  return llvm::any_of(instruction.operands(), is_unknown) ? Shape{} : Shape::uniform();
}

/// Finds the shapes of instructions. Begins with the assumption that nothing is known of any, and goes on
/// until all shapes agree with those of the operands.
void find_shapes(SpmdFunction& state, const llvm::DenseSet<Instruction*>& added) {
  for (const Instruction* instruction : added) state.shapes.set(*instruction, Shape{});
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction& instruction : llvm::instructions(state.function)) {
      if (!added.contains(&instruction)) continue;
      const Shape shape = shape_of(instruction, state.shapes);
      if (shape == state.shapes.of(instruction)) continue;
      state.shapes.set(instruction, shape);
      changed = true;
    }
  }
  // What is left is made of poison alone.
  for (const Instruction* instruction : added)
    if (state.shapes.of(*instruction).kind == Shape::Kind::bottom)
      state.shapes.set(*instruction, Shape::uniform());
}

}  // namespace

void tidy(SpmdFunction& state, llvm::ArrayRef<llvm::WeakVH> original) {
  llvm::DenseSet<const Value*> known;
  for (const Value* value : original) known.insert(value);
  llvm::DenseSet<Instruction*> added;
  for (Instruction& instruction : llvm::instructions(state.function))
    if (!known.contains(&instruction) && !instruction.getType()->isVoidTy()) added.insert(&instruction);
  Simplifier(state, added).run();
  find_shapes(state, added);
}

}  // namespace heddle::finalizer::spmd
