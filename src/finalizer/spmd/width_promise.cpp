// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/width_promise.h"

#include "finalizer/lower/facts.h"

namespace heddle::finalizer::spmd {

bool promises_agreement(const llvm::Instruction& instruction, const ShapeRequest& request) {
  const hsa_brig_width_t width = width_of(instruction);
  if (width == HSA_BRIG_WIDTH_ALL) return true;
  if (width == HSA_BRIG_WIDTH_1 || !request.follows_slices) return false;
  // Both sizes are powers of two, so that a slice that is no smaller than a wave has no part of one.
  const uint64_t slice = width == HSA_BRIG_WIDTH_WAVESIZE ? request.wavesize : uint64_t{1} << (width - 1);
  return slice >= request.lanes;
}

}  // namespace heddle::finalizer::spmd
