// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what all stages behind linearisation rely on.
#pragma once

#include <string_view>

#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/spmd_function.h"
#include "support/result.h"

namespace heddle::finalizer::spmd {

/// Checks a linearised function:
/// - divergent-branch: no terminator depends on a value that is not uniform.
/// - mask-form: each block has a mask, which is known when the block ends. Masks are made of the mask of the
///   entry, `false`, `or`, phis, and the `select` of another mask, a condition and `false`.
/// - empty-mask: the mask is not empty where an instruction is not speculatable, or a branch depends on
///   anything but hsail.any. Either the mask has been tested, or it is that of the entry.
/// - wide-mask: a mask implies each mask that has been tested on every way to its block, and that of an
///   instruction implies that of its block. The work-items that begin another iteration of a loop have been
///   in its latch.
/// - convergent: each convergent operation is in its block, is executed by all work-items that are there, and
///   there are no others. Which work-items have come together in the block is not checked: those that the
///   order of blocks brings together, which PRM 2.12 would have meet later in some functions that are not
///   structured.
/// - shape: the shape of each value says no more than follows from the shapes of its operands
///   (verify_shapes.h).
/// `request` is what the shapes were computed for. Returns an Error that begins with the name of the broken
/// rule. What the rules mean for memory, that no byte is touched that no active work-item asked for, can be
/// checked only in the function of the wave (verify_wave.h).
Result<void> verify(const SpmdFunction& state, const ShapeRequest& request);

/// Turns what verify() or verify_wave() has found into the reason why a function cannot be widened.
Error mistake_found(const Error& found);
/// Reports whether that is the reason: the vectoriser has made a mistake, which nobody executes.
bool is_mistake(std::string_view reason);

}  // namespace heddle::finalizer::spmd
