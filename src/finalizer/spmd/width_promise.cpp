// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/width_promise.h"

#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/facts.h"

namespace heddle::finalizer::spmd {

/// Widths of branches are not relied upon. Conformance tests of the HSA Foundation count slices by absolute
/// IDs, so that the work-items of a wave disagree in grids with partial work-groups, and they expect each to
/// take its own way.
static bool is_relied_upon(const llvm::Instruction& instruction) { return !instruction.isTerminator(); }

uint64_t slice_of(hsa_brig_width_t width, uint32_t wavesize) {
  if (width == HSA_BRIG_WIDTH_NONE || width == HSA_BRIG_WIDTH_ALL) return 1;
  return width == HSA_BRIG_WIDTH_WAVESIZE ? wavesize : uint64_t{1} << (width - 1);
}

bool has_promises_for_slices(const llvm::Function& function, uint32_t wavesize, uint64_t smallest) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const uint64_t slice = slice_of(width_of(instruction), wavesize);
    return is_relied_upon(instruction) && slice > 1 && slice >= smallest;
  });
}

bool promises_agreement(const llvm::Instruction& instruction, const ShapeRequest& request) {
  if (!is_relied_upon(instruction)) return false;
  const hsa_brig_width_t width = width_of(instruction);
  if (width == HSA_BRIG_WIDTH_ALL) return !request.merges_groups;
  if (width == HSA_BRIG_WIDTH_1 || !request.follows_slices) return false;
  // Both sizes are powers of two, so that a slice that is no smaller than a wave has no part of one.
  return slice_of(width, request.wavesize) >= request.lanes;
}

}  // namespace heddle::finalizer::spmd
