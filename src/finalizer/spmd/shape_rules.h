// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shape of the result of a single instruction, by the shapes of its operands.
#pragma once

#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

struct RuleInput {
  /// Returns the shape of an operand as the instruction sees it.
  llvm::function_ref<Shape(const llvm::Value&)> operand;
  /// Whether all lanes of the wave execute the instruction, so that its flags say something of all of them.
  bool flags_hold = false;
  /// Whether what may be assumed of the instruction (assumptions.h) is taken for granted.
  bool assume = false;
};

struct RuleResult {
  Shape shape;
  bool assumed = false;  ///< whether the shape relies on RuleInput::assume for this instruction
};

/// Returns the shape of an instruction that is not a phi, and bottom if one of the operands that matter is
/// bottom. Instructions without a result are uniform.
RuleResult shape_of_result(const llvm::Instruction& instruction, const RuleInput& input,
                           const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
