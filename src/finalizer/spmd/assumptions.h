// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be assumed of single instructions so that their results are strided or uniform, although that does
// not follow from the operands, and the tests that tell whether it is so in a wave. Nearly all waves pass
// such a test in usual programs; for the others code is needed that does without the assumption.
#pragma once

#include <optional>

#include <llvm/IR/ConstantRange.h>

#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// What is assumed
/// - of an extension (zext, sext): no lane wraps around in the operand;
/// - of a minimum or maximum of a strided and a uniform number, as programs clamp indices with: it is the
///   strided number in all lanes, and no lane wraps around in that;
/// - of a bitwise operation on a strided and a uniform number, as programs take indices apart with that have
///   sizes which are powers of two: lane 0 of the strided number is aligned so that the lanes differ in its
///   low bits alone, and there the uniform number has only ones, or only zeros.
struct Assumption {
  const llvm::Value* strided = nullptr;  ///< the operand that is strided
  const llvm::Value* uniform = nullptr;  ///< the other one, null for extensions
  Shape number;                          ///< of the strided operand
  Shape result;                          ///< of the instruction, if the assumption holds
  uint64_t differing = 0;                ///< for bitwise operations: the bits in which lanes differ
  bool ones = false;  ///< for bitwise operations: whether the uniform number has ones there
};

/// Returns what may be assumed of an instruction, or nothing if there is nothing to assume, or it would be
/// wrong in all waves. `shape_of` gives the shapes of the operands.
std::optional<Assumption> assumption_about(const llvm::Instruction& instruction,
                                           llvm::function_ref<Shape(const llvm::Value&)> shape_of,
                                           unsigned lanes);

/// Returns an i1: whether an assumption holds. `strided` and `uniform` are what lane 0 has in these operands;
/// the latter is not used for extensions.
llvm::Value* create_test(llvm::IRBuilderBase& ir, const llvm::Instruction& instruction,
                         const Assumption& assumption, llvm::Value* strided, llvm::Value* uniform,
                         unsigned lanes);

/// Returns whether a number is in a range.
llvm::Value* create_range_test(llvm::IRBuilderBase& ir, llvm::Value* number,
                               const llvm::ConstantRange& range);

}  // namespace heddle::finalizer::spmd
