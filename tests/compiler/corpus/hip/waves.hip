// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HIP's headers make of cross-lane operations, for waves of 32 work-items in lock-step.
#include "kernel.h"

__device__ inline uint lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }
__device__ inline int from_lane(int value, uint lane) { return __builtin_amdgcn_ds_bpermute(int(lane * 4), value); }
__device__ inline int shuffled(int value, int from) { return from_lane(value, uint(from) & 31); }
__device__ inline int shuffled_down(int value, uint by) { return from_lane(value, lane() + by > 31 ? lane() : lane() + by); }
__device__ inline int shuffled_up(int value, uint by) { return from_lane(value, lane() < by ? lane() : lane() - by); }
__device__ inline int shuffled_xor(int value, uint mask) { return from_lane(value, lane() ^ mask); }

KERNEL lanes(uint* out) { out[at()] = lane(); }
KERNEL shuffle(int* out, const int* a) { out[at()] = shuffled(a[at()], int(lane() * 7 + 3)); }
KERNEL shuffle_down_reduction(int* out, const int* a) {
  int sum = a[at()] / 64;
  for (uint by = 16; by > 0; by /= 2) sum += shuffled_down(sum, by);
  out[at()] = from_lane(sum, 0);
}
KERNEL shuffle_up_scan(int* out, const int* a) {
  int sum = a[at()] / 64;
  for (uint by = 1; by < 32; by *= 2) {
    const int other = shuffled_up(sum, by);
    if (lane() >= by) sum += other;
  }
  out[at()] = sum;
}
KERNEL butterfly_maximum(int* out, const int* a) {
  int most = a[at()];
  for (uint mask = 1; mask < 32; mask *= 2) {
    const int other = shuffled_xor(most, mask);
    most = other > most ? other : most;
  }
  out[at()] = most;
}
KERNEL shuffle_double(double* out, const double* a) {
  const ulong bits = __builtin_bit_cast(ulong, a[at()]);
  const uint from = 31 - lane();
  const ulong low = uint(from_lane(int(bits), from)), high = uint(from_lane(int(bits >> 32), from));
  out[at()] = __builtin_bit_cast(double, high << 32 | low);
}
KERNEL ballots(uint* out, const int* a) { out[at()] = __builtin_amdgcn_ballot_w32(a[at()] > 0); }
KERNEL ballot_in_branch(uint* out, const int* a) {
  out[at()] = 0;
  if (a[at()] % 2 != 0) out[at()] = __builtin_amdgcn_ballot_w32(a[at()] > 0);
}
KERNEL compaction(int* out, uint* count, const int* a) {
  const bool keep = a[at()] > 10;
  const uint mask = __builtin_amdgcn_ballot_w32(keep);
  const uint before = __builtin_amdgcn_mbcnt_lo(mask, 0u);
  if (keep) out[block() * 32 + before] = a[at()];
  if (lane() == 0) count[block()] = uint(__builtin_popcount(mask));
}
KERNEL first_lane(int* out, const int* a) { out[at()] = __builtin_amdgcn_readfirstlane(a[at()]) / 2; }
KERNEL votes(int* out, const int* a) {
  const uint all = __builtin_amdgcn_ballot_w32(true), yes = __builtin_amdgcn_ballot_w32(a[at()] > -100000);
  out[at()] = (yes == all) + 2 * (yes != 0);
}
// Kernels like this one rely on lock-step silently: no lane reads before all have written.
KERNEL lock_step(int* out, const int* a) {
  __shared__ volatile int values[32];
  values[lane()] = a[at()];
  __builtin_amdgcn_wave_barrier();
  out[at()] = values[lane() ^ 5];
}
KERNEL bitonic_in_wave(int* out, const int* a) {
  int mine = a[at()];
  for (uint k = 2; k <= 32; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      const int other = shuffled_xor(mine, j);
      const bool upwards = (lane() & k) == 0, low = (lane() & j) == 0;
      mine = (mine < other) == (upwards == low) ? mine : other;
    }
  out[at()] = mine;
}
