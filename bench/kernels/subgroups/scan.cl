// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The twin of ../scan.hsail in OpenCL C 3.0: the work-items of a sub-group exchange sums among themselves.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_blocks(global uint *out, global uint *sums, global const uint *in, uint n) {
  local uint sum[256];  // of each sub-group
  uint item = get_local_id(0), i = get_global_id(0), group = get_sub_group_id(), lane = get_sub_group_local_id();
  uint4 value = 4 * i < n ? vload4(i, in) : (uint4)0;
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  uint up_to_here = sub_group_scan_inclusive_add(value.w);
  if (lane == get_sub_group_size() - 1) sum[group] = up_to_here;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 0) {
    uint before = 0;
    for (uint first = 0; first < get_num_sub_groups(); first += get_sub_group_size()) {
      uint own = first + lane < get_num_sub_groups() ? sum[first + lane] : 0;
      uint total = sub_group_scan_inclusive_add(own);
      if (first + lane < get_num_sub_groups()) sum[first + lane] = before + total - own;
      before += sub_group_broadcast(total, get_sub_group_size() - 1);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  up_to_here += sum[group];
  if (4 * i < n) vstore4(value + (up_to_here - value.w), i, out);
  if (item == 255) sums[get_group_id(0)] = up_to_here;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_add(global uint *out, global const uint *sums, uint n) {
  uint group = get_group_id(0), i = get_global_id(0);
  if (group == 0 || 4 * i >= n) return;
  vstore4(vload4(i, out) + sums[group - 1], i, out);
}
