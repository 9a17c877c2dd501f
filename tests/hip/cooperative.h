// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of cooperative.hip.
#pragma once

#include <hip/hip_runtime_api.h>

extern "C" {
/// (unsigned* a, unsigned* b, unsigned rounds): in each round, each work-item makes a new value of that of
/// another work-group (`mixed`), and the grid is synchronized.
extern const void* const mix_kernel;
/// (unsigned* a, unsigned* b, unsigned rounds, unsigned ending): the same for work-items of the same number
/// in the next work-group. Those whose number is a multiple of `ending` end at first.
extern const void* const mix_some_kernel;
/// (unsigned* to): 8 numbers that the groups of the grid and of all grids tell the first work-item.
extern const void* const describe_kernel;
/// (unsigned* counter, unsigned* to, unsigned rounds): all work-items of all grids count together, and note
/// what they see behind each synchronization: of each, its rank in the order of all grids, then `rounds`
/// sums.
extern const void* const meet_kernel;
/// (unsigned failing): the grid of this rank ends with an error, while the others wait for it.
extern const void* const meet_or_fail_kernel;
/// (unsigned* to, unsigned ending): of each work-item that has not ended, what __syncthreads_count, _and and
/// _or give. Those whose number is a multiple of `ending`, and all of the second wave, end before.
extern const void* const reduce_live_kernel;
/// (unsigned* to): of each work-item, 4 sizes and ranks of tiles of 8 lanes and of every second lane.
extern const void* const tiles_kernel;
}

/// The value that a work-item of mix_kernel makes of another one's.
inline constexpr unsigned mixed(unsigned value, unsigned item, unsigned round) {
  return 3 * value + item + round;
}
