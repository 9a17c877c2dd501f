// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of scan.hsail, without communication within waves.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_blocks(global uint *out, global uint *sums, global const uint *in, uint n) {
  local uint sum[2][256];
  uint item = get_local_id(0), i = get_global_id(0);
  uint4 value = 4 * i < n ? vload4(i, in) : (uint4)0;
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  uint up_to_here = value.w, from = 0;
  sum[0][item] = up_to_here;
  for (uint distance = 1; distance < 256; distance *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= distance) up_to_here += sum[from][item - distance];
    from ^= 1;
    sum[from][item] = up_to_here;
  }
  if (4 * i < n) vstore4(value + (up_to_here - value.w), i, out);
  if (item == 255) sums[get_group_id(0)] = up_to_here;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_add(global uint *out, global const uint *sums, uint n) {
  uint group = get_group_id(0), i = get_global_id(0);
  if (group == 0 || 4 * i >= n) return;
  vstore4(vload4(i, out) + sums[group - 1], i, out);
}
