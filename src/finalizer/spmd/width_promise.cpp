// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/width_promise.h"

#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/facts.h"

namespace heddle::finalizer::spmd {

uint64_t slice_of(hsa_brig_width_t width, uint32_t wavesize) {
  if (width == HSA_BRIG_WIDTH_NONE || width == HSA_BRIG_WIDTH_ALL) return 1;
  return width == HSA_BRIG_WIDTH_WAVESIZE ? wavesize : uint64_t{1} << (width - 1);
}

bool has_promises_for_slices(const llvm::Function& function, uint32_t wavesize, uint64_t smallest) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const uint64_t slice = slice_of(width_of(instruction), wavesize);
    return slice > 1 && slice >= smallest;
  });
}

bool promises_agreement(const llvm::Instruction& instruction, const ShapeRequest& request) {
  const hsa_brig_width_t width = width_of(instruction);
  if (width == HSA_BRIG_WIDTH_ALL) return !request.merges_groups;
  if (width == HSA_BRIG_WIDTH_1 || !request.follows_slices) return false;
  // Both sizes are powers of two, so that a slice that is no smaller than a wave has no part of one.
  return slice_of(width, request.wavesize) >= request.lanes;
}

}  // namespace heddle::finalizer::spmd
