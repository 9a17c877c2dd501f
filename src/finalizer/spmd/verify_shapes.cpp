// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/verify_shapes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/shape_rules.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;

/// Poison stands where no work-item needs the value, so that it may be taken for any.
Shape shape_of_operand(const Value& value, const Shapes& shapes) {
  return llvm::isa<llvm::UndefValue>(value) ? Shape{} : shapes.of(value);
}

/// All work-items come to a phi from the same block.
Shape shape_of_phi(const llvm::PHINode& phi, const Shapes& shapes) {
  Shape all;
  for (const Value* value : phi.incoming_values())
    if (value != &phi) all = join(all, shape_of_operand(*value, shapes));
  return all;
}

Shape shape_by_operands(const Instruction& instruction, const Shapes& shapes, const ShapeRequest& request) {
  if (tested_mask(instruction)) return Shape::uniform();
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return shape_of_phi(*phi, shapes);
  const auto operand = [&](const Value& value) { return shape_of_operand(value, shapes); };
  const bool flags_hold = request.all_active && shapes.has_entry_mask(*instruction.getParent());
  return shape_of_result(instruction, {operand, flags_hold, false}, request).shape;
}

}  // namespace

Result<void> verify_shapes(const SpmdFunction& state, const ShapeRequest& request) {
  for (const Instruction& instruction : llvm::instructions(state.function)) {
    if (instruction.getType()->isVoidTy()) continue;
    const Shape claimed = state.shapes.of(instruction);
    if (claimed.is_bottom()) return Error{"shape: nothing is known of a value"};
    if (join(claimed, shape_by_operands(instruction, state.shapes, request)) == claimed) continue;
    Error error{"shape: more is said of a value than follows from its operands:"};
    llvm::raw_string_ostream(error.message) << instruction << " (block " << instruction.getParent()->getName()
                                            << " of " << state.function.getName() << ")";
    return error;
  }
  return {};
}

}  // namespace heddle::finalizer::spmd
