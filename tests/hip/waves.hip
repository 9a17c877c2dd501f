// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for functions that HIP programs take for granted: with masks of lanes, copies, and assertions. No macro is
// defined for them, and <cassert> is included once more after HIP, as programs do.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cassert>

#include "waves.h"

namespace groups = cooperative_groups;

namespace {

struct __align__(16) Aligned {
  int value;
};
static_assert(sizeof(Aligned) == 16 && alignof(Aligned) == 16, "");

struct Pair {
  short first;
  char second;
};

__global__ void masked(int* to) {
  const int i = int(threadIdx.x), value = 3 * i + 1;
  int* r = to + masked_results * i;
  __syncwarp();
  __syncwarp(0xffffffff);
  r[0] = __shfl_sync(0xffffffff, value, 5);
  r[1] = __shfl_up_sync(0xffffffffffffffffull, value, 3, 16);
  r[2] = __shfl_down_sync(-1, value, 7);
  r[3] = int(__shfl_xor_sync(~0ull, double(value), 9));
  r[4] = int(__ballot_sync(0xff, i % 3 == 0));
  r[5] = __any_sync(0xff, i % 32 == 7) | __any_sync(0xff, i % 32 == 8) << 1;
  r[6] = __all_sync(0xffull, i % 32 < 8) | __all_sync(0x1ffull, i % 32 < 8) << 1;
  r[7] = int(__match_any_sync(0xffffffff, i % 5));
  int all = 7;
  r[8] = int(__match_all_sync(0x0fu, long(i % 32 < 4), &all)) | all << 8;
  r[9] = int(__match_all_sync(0x1fu, double(i % 32 < 4), &all)) | all << 8;
  r[10] = __reduce_add_sync(0xffff, i);
  r[11] = __reduce_min_sync(~0ull, (i * 7) % 32) | __reduce_max_sync(~0ull, (i * 7) % 32) << 8;
  r[12] = __reduce_and_sync(~0ull, i | 5) | __reduce_or_sync(~0ull, i & 5) << 8;
  r[13] = __reduce_xor_sync(0x7u, i);
  r[14] = i % 2 ? int(__ballot_sync(__activemask(), i % 3 == 0)) : int(__popcll(__activemask()));
  const Pair pair = __shfl_sync(0xffffffffu, Pair{short(-i), char(i)}, 9);
  r[15] = pair.first * 1000 + pair.second;
}

__device__ int of_a_block(const groups::thread_block_tile<32, groups::thread_block>& tile) { return tile.shfl(7, 0); }
__device__ int of_anything(const groups::thread_block_tile<8>& tile, int value) { return tile.shfl(value, 1); }
template <unsigned Size>
__device__ int size_of(const groups::thread_block_tile<Size>&) {
  return int(Size);
}

__global__ void tiles(int* to) {
  const int i = int(threadIdx.x);
  int* r = to + tile_results * i;
  const groups::thread_block block = groups::this_thread_block();
  const groups::thread_block_tile<32> wave = groups::tiled_partition<32>(block);
  const groups::thread_block_tile<32, groups::thread_block> named = groups::tiled_partition<32>(block);
  const auto eight = groups::tiled_partition<8>(named);
  r[0] = of_a_block(named) + of_anything(eight, i);
  r[1] = size_of(eight) + 100 * int(eight.meta_group_rank()) + 10000 * int(eight.meta_group_size());
  r[2] = int(wave.meta_group_rank() + 100 * wave.meta_group_size());
  r[3] = groups::reduce(eight, i, groups::plus<int>());
  r[4] = groups::reduce(wave, i * 11 % 64, groups::less<int>());
  r[5] = groups::reduce(wave, i * 11 % 64, groups::greater<int>());
  r[6] = groups::reduce(eight, i, groups::bit_and<int>()) | groups::reduce(eight, i, groups::bit_or<int>()) << 8;
  // Taking the first of two is associative, but depends on their order.
  r[7] = groups::reduce(eight, i, [](int a, int) { return a; });
  const groups::coalesced_group third = groups::binary_partition(eight, i % 3 == 0);
  r[8] = int(third.size() + 100 * third.thread_rank());
  r[9] = groups::reduce(third, i, groups::plus<int>());
  r[10] = r[11] = -1;
  if (i % 4 == 1) {
    const groups::coalesced_group part = groups::binary_partition(groups::coalesced_threads(), i % 32 < 8);
    r[10] = int(part.size());
    r[11] = groups::reduce(part, i, groups::bit_xor<int>());
  }
}

__global__ void memory(unsigned char* to, const unsigned char* from) {
  unsigned char bytes[memory_results];
  const unsigned all = memory_results;
  memset(bytes, 0xa5, all);
  memcpy(bytes + 3, from, 40);
  memmove(bytes + 8, bytes + 3, threadIdx.x + 40);
  memmove(bytes, bytes + 2, threadIdx.x + 20);
  memset(bytes + 50, int(threadIdx.x), 5);
  memcpy(to, bytes, all);
}

__host__ __device__ int positive(int value) {
  assert(value > 0);
  return value;
}
__global__ void assertions(int* to, int value) {
  assert(value != 0 && "the kernel");
  *to = positive(value);
}

__global__ void abort_kernel(int* to, int value) {
  if (value < 0) {
    printf("before the abort\n");
    abort();
  }
  *to = value;
}

hipError_t finished() {
  const hipError_t started = hipGetLastError();
  return started == hipSuccess ? hipDeviceSynchronize() : started;
}

}  // namespace

extern "C" {
hipError_t run_masked(int* to) {
  masked<<<1, 64>>>(to);
  return finished();
}
hipError_t run_tiles(int* to) {
  tiles<<<1, 64>>>(to);
  return finished();
}
hipError_t run_memory(unsigned char* to, const unsigned char* from) {
  memory<<<1, 1>>>(to, from);
  return finished();
}
hipError_t run_assertions(int* to, int value) {
  assertions<<<1, 1>>>(to, value);
  return finished();
}
hipError_t run_abort(int* to, int value) {
  abort_kernel<<<1, 1>>>(to, value);
  return finished();
}
int positive_on_host(int value) { return positive(value); }
}
