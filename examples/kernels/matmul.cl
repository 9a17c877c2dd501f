// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A * B for square matrices of f32 in row-major order, by tiles of 16 x 16 in group memory.

#define TILE 16

// Grid: n x n work-items, one for each element of C; n is a multiple of 16.
// A work-group owns one tile of C. It walks along a row of tiles of A and a column of tiles of B: each work-item
// fetches one element of either tile, then all multiply what the whole group has fetched. So each element of A and B
// is read from global memory n / 16 times instead of n times.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global float* c, global const float* a, global const float* b, uint n) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint at = 0; at < n; at += TILE) {
    tile_a[y][x] = a[row * n + at + x];
    tile_b[y][x] = b[(at + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);  // both tiles are complete
    for (uint k = 0; k < TILE; ++k) sum = fma(tile_a[y][k], tile_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);  // nobody reads the tiles any more
  }
  c[row * n + column] = sum;
}
