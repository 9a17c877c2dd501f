// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/matmul.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(global float *c, global const float *a, global const float *b, uint n) {
  local float tile_a[16][16], tile_b[16][16];
  uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint tile = 0; tile < n / 16; ++tile) {
    tile_a[y][x] = a[row * n + tile * 16 + x];
    tile_b[y][x] = b[(tile * 16 + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum = fma(tile_a[y][k], tile_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
