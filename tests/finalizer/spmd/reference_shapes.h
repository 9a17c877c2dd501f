// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes for tests of the stages that use them: uniform or varying, found by rules that are simple enough to
// be right at a glance, and that therefore call some uniform values varying.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::testing {

/// Finds the shapes of a function in canonical form. `varying` has the arguments and instructions that are
/// varying whatever they are made of.
finalizer::spmd::Shapes reference_shapes(llvm::Function& function,
                                         const llvm::DenseSet<const llvm::Value*>& varying);

}  // namespace heddle::testing
