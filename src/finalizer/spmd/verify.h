// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what all stages behind linearisation rely on.
#pragma once

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
/// - convergent: each convergent operation is in its block, and there are no others.
/// Returns an Error that begins with the name of the broken rule.
Result<void> verify(const SpmdFunction& state);

}  // namespace heddle::finalizer::spmd
