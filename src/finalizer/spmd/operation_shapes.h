// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes of the results of target operations (lower/target_operations.h).
#pragma once

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Returns the shape of the result of a target operation that is called with arguments of these shapes, and
/// bottom if one of them that matters is bottom. For operations without a result, returns uniform.
Shape operation_shape(TargetOperation operation, const llvm::CallInst& call, llvm::ArrayRef<Shape> arguments,
                      const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
