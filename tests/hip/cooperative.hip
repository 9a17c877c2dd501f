// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose work-groups wait for each other.
#include "cooperative.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

namespace groups = cooperative_groups;

namespace {

__device__ unsigned new_value(unsigned value, unsigned item, unsigned round) { return 3 * value + item + round; }

__global__ void mix(unsigned* a, unsigned* b, unsigned rounds) {
  const groups::grid_group grid = groups::this_grid();
  const unsigned i = unsigned(grid.thread_rank()), other = (i + blockDim.x + 1) % unsigned(grid.size());
  for (unsigned round = 0; round < rounds; ++round) {
    b[i] = new_value(a[other], i, round);
    grid.sync();
    unsigned* const read = a;
    a = b;
    b = read;
  }
}

__global__ void mix_some(unsigned* a, unsigned* b, unsigned rounds, unsigned ending) {
  const groups::thread_group grid = groups::this_grid();
  if (threadIdx.x % ending == 0) return;
  const unsigned i = grid.thread_rank(), other = (i + blockDim.x) % grid.size();
  for (unsigned round = 0; round < rounds; ++round) {
    b[i] = new_value(a[other], i, round);
    groups::sync(grid);
    unsigned* const read = a;
    a = b;
    b = read;
  }
}

__global__ void describe(unsigned* to) {
  const auto grid = groups::this_grid();
  const auto all = groups::this_multi_grid();
  if (grid.thread_rank() != 0) return;
  const unsigned values[8] = {grid.is_valid(), unsigned(grid.size()), unsigned(grid.num_blocks()), all.is_valid(),
                              all.num_grids(), all.grid_rank(),       unsigned(all.size()),        unsigned(all.thread_rank())};
  for (int i = 0; i < 8; ++i) to[i] = values[i];
}

__global__ void meet(unsigned* counter, unsigned* to, unsigned rounds) {
  const groups::multi_grid_group all = groups::this_multi_grid();
  unsigned* const own = to + all.thread_rank() * (rounds + 1);
  own[0] = unsigned(all.thread_rank());
  for (unsigned round = 0; round < rounds; ++round) {
    __hip_atomic_fetch_add(counter, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    all.sync();
    own[1 + round] = __hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    all.sync();
  }
}

__global__ void meet_or_fail(unsigned failing) {
  const groups::multi_grid_group all = groups::this_multi_grid();
  if (all.grid_rank() == failing) __builtin_trap();
  all.sync();
}

__global__ void reduce_live(unsigned* to, unsigned ending) {
  const unsigned i = threadIdx.x;
  if (i % ending == 0 || i / 32 == 1) return;
  unsigned* const own = to + 5 * i;
  own[0] = unsigned(__syncthreads_count(i % 2));
  own[1] = unsigned(__syncthreads_and(i % ending));
  own[2] = unsigned(__syncthreads_and(i != ending + 1));
  own[3] = unsigned(__syncthreads_or(i % ending == 0));
  own[4] = unsigned(__syncthreads_or(i == ending + 1));
}

__global__ void tiles(unsigned* to) {
  const unsigned i = threadIdx.x;
  unsigned* const own = to + 4 * i;
  const groups::tiled_group half = groups::tiled_partition(groups::this_thread_block(), 16);
  const groups::tiled_group tile = groups::tiled_partition(half, 8);
  tile.sync();
  own[0] = tile.size() + 100 * tile.thread_rank() + 10000 * groups::tiled_partition(tile, 16).is_valid();
  own[1] = groups::tiled_partition(groups::this_grid(), 8).is_valid();
  own[2] = own[3] = 0;
  if (i % 2 == 1) {
    const groups::coalesced_group part = groups::tiled_partition(groups::coalesced_threads(), 4);
    part.sync();
    own[2] = part.size() + 100 * part.thread_rank();
    own[3] = unsigned(part.shfl(int(i), 1));
  }
}

}  // namespace

#ifndef __HIP_DEVICE_COMPILE__  // device code has no addresses of kernels
extern "C" {
const void* const mix_kernel = reinterpret_cast<const void*>(mix);
const void* const mix_some_kernel = reinterpret_cast<const void*>(mix_some);
const void* const describe_kernel = reinterpret_cast<const void*>(describe);
const void* const meet_kernel = reinterpret_cast<const void*>(meet);
const void* const meet_or_fail_kernel = reinterpret_cast<const void*>(meet_or_fail);
const void* const reduce_live_kernel = reinterpret_cast<const void*>(reduce_live);
const void* const tiles_kernel = reinterpret_cast<const void*>(tiles);
}
#endif
