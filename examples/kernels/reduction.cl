// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up a vector. Each work-item adds up a strided part, and each work-group adds up those sums as a tree.

// Grid: a multiple of 256 work-items in x. out gets one partial sum for each work-group; a second dispatch with one
// work-group adds those up.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce_sum(global float* out, global const float* in, uint n) {
  local float sums[256];
  const uint own = get_local_id(0);
  float sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  sums[own] = sum;
  for (uint distance = 128; distance > 0; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // all sums of the step before are there
    if (own < distance) sums[own] += sums[own + distance];
  }
  if (own == 0) out[get_group_id(0)] = sums[0];
}
