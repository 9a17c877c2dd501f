// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/histogram.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global uint *bins, global const uchar *in, uint n) {
  local uint count[256];
  uint item = get_local_id(0);
  count[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&count[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[item], count[item]);
}
