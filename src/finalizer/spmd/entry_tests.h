// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests with which waves are sorted where a row body begins. Most waves are simple: their addresses do not
// wrap around between two lanes, and all of their work-items are on the same side of the bounds that the
// kernel checks. The row body is only for these; other bodies do the others.
#pragma once

#include <functional>

#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

struct EntryTestRequest {
  unsigned lanes = 1;  ///< of a wave
  /// Whether to test comparisons of a work-item's position, too.
  bool bounds = true;
  /// The size in bytes of the kernarg segment, which may be read even where the kernel does not read it.
  uint64_t kernarg_size = 0;
  /// Creates code that tells the caller that the function has done nothing, because it is not right for this
  /// wave. `context` is argument 0 of the function.
  std::function<void(llvm::IRBuilder<>& ir, llvm::Value* context)> create_refusal;
};

/// Looks for instructions that keep a wave from being simple, and that can be computed where the function
/// begins, from the work-item's identity and the arguments of the kernel:
/// - extensions of integers without which the address of an access to memory would have a stride. HSAIL
///   defines what happens when the integer wraps around in some lane.
/// - comparisons of a work-item's position in the grid with something uniform.
/// Makes the function test all of them before it does anything else, and refuse the wave if it is not simple.
/// Returns the instructions; shapes have to be computed again with them (ShapeRequest::tested). If there are
/// none, the function is as it was, so that its shapes are still right.
///
/// The function has to be for waves whose work-items are consecutive in x. It has to be in canonical form
/// (prepare.h), and stays in it.
TestedInstructions test_at_entry(llvm::Function& function, const Shapes& shapes,
                                 const EntryTestRequest& request);

}  // namespace heddle::finalizer::spmd
