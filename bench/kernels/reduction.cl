// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/reduction.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce_sum(global float *out, global const float *in, uint n) {
  local float sums[256];
  float sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  uint item = get_local_id(0);
  sums[item] = sum;
  for (uint distance = 128; distance >= 1; distance >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < distance) sums[item] += sums[item + distance];
  }
  if (item == 0) out[get_group_id(0)] = sums[0];
}
