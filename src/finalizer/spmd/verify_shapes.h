// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the shapes of a linearised function.
#pragma once

#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/spmd_function.h"
#include "support/result.h"

namespace heddle::finalizer::spmd {

/// Checks that the shape of each value says no more than follows from the shapes of its operands
/// (shape_rules.h), from those of a phi's values, or from what is known of an operation. As no branch of a
/// linearised function is divergent, nothing else decides about shapes. `request` is what they were computed
/// for. Returns an Error that begins with "shape".
Result<void> verify_shapes(const SpmdFunction& state, const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
