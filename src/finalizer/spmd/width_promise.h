// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

/// Returns the number of work-items with consecutive flattened IDs that a width modifier is about: a power of
/// two. 1 for HSA_BRIG_WIDTH_ALL, which is about work-groups.
uint64_t slice_of(hsa_brig_width_t width, uint32_t wavesize);

/// Reports whether instructions of a function promise something of slices with at least this many work-items,
/// more than one. Branches do not count, as in promises_agreement().
bool has_promises_for_slices(const llvm::Function& function, uint32_t wavesize, uint64_t smallest);

/// Reports whether the width modifier of a load or call (lower/facts.h) promises that all active lanes of a
/// wave agree. What branches promise is not relied upon (docs/spec-decisions.md, 2.12.2).
bool promises_agreement(const llvm::Instruction& instruction, const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
