// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of transpose.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(global float *out, global const float *in, uint n) {
  local float tile[16][17];
  uint x = get_local_id(0), y = get_local_id(1);
  tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = tile[x][y];
}
