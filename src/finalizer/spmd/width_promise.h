// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

/// Reports whether the width modifier of a branch, load or call (lower/facts.h) promises that all active
/// lanes of a wave agree.
bool promises_agreement(const llvm::Instruction& instruction, const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
