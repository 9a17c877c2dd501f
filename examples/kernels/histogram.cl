// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how often each byte value occurs: atomics in group memory, then one atomic for each bin in global memory.

// Grid: a multiple of 256 work-items in x. Each work-item takes the bytes i, i + grid size, i + 2 * grid size, ...
// The caller sets the 256 bins to zero; several dispatches may add to the same bins.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global uint* bins, global const uchar* in, uint n) {
  local uint count[256];
  const uint own = get_local_id(0);  // the bin that this work-item clears and flushes
  count[own] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // all bins are zero
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&count[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);  // all bytes of this group are counted
  atomic_add(&bins[own], count[own]);
}
