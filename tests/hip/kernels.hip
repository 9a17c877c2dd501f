// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_code.h"
#include "kernels.h"

extern "C" __device__ int printf(const char* format, ...);

__device__ int table[4] = {10, 20, 30, 40};
__constant__ float factor = 2.5f;
__managed__ int managed_number = 7;

__global__ void scale(float* to, const float* from, int count, Scale by) {
  const int i = static_cast<int>(item(0));
  if (i < count) to[i] = from[i] * static_cast<float>(by.factor) + static_cast<float>(by.offset) + by.tag[2];
}

extern __shared__ int dynamic_memory[];

__global__ void reverse(int* to, int count) {
  __shared__ int sum;
  const unsigned i = item(0);
  if (i == 0) sum = 0;
  dynamic_memory[i] = to[i];
  group_barrier();
  to[i] = dynamic_memory[static_cast<unsigned>(count) - 1 - i] + sum;
}

__global__ void count(unsigned long long* counter, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) __hip_atomic_fetch_add(counter, 1ULL, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void ids(int* to) {
  const size_t x = item(0), y = item(1), z = item(2);
  const size_t width = __ockl_get_local_size(0) * __ockl_get_num_groups(0);
  const size_t height = __ockl_get_local_size(1) * __ockl_get_num_groups(1);
  to[(z * height + y) * width + x] = static_cast<int>(x + 1000 * y + 1000000 * z);
}

__global__ void empty() {}

__global__ void wait_for(int* flag) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) __builtin_amdgcn_s_sleep(1);
}

__global__ void append(int* to, int value) {
  to[1 + to[0]] = value;
  to[0] += 1;
}

__global__ void many_numbers(int* to, ManyNumbers numbers) {
  for (const int value : numbers.values) to[0] += value;
}

__global__ void write(int* address) { *address = 1; }

__global__ void print(int number) { printf("kernel says %d\n", number); }

__global__ void variables(int* to) {
  for (int i = 0; i < 4; ++i) to[i] = table[i]++;
  to[4] = managed_number++;
  to[5] = static_cast<int>(factor * 2);
}

__global__ void early_return(int* to, const int* rounds) {
  __shared__ int count;
  const unsigned i = item(0);
  if (rounds[i] == 0) return;
  count = 0;
  group_barrier();
  int seen = 0, lanes = 0;
  for (int round = 0;; ++round) {
    if (round == rounds[i]) {
      to[2 * i] = seen;
      to[2 * i + 1] = lanes;
      return;
    }
    __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    group_barrier();
    seen += __hip_atomic_load(&count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    lanes += __builtin_popcount(__builtin_amdgcn_ballot_w32(true));
    group_barrier();
  }
}

__global__ void __launch_bounds__(64) bounded(int* to) { to[item(0)] = static_cast<int>(item(0)); }

#ifndef __HIP_DEVICE_COMPILE__  // device code has no addresses of kernels
const void* const scale_kernel = reinterpret_cast<const void*>(&scale);
const void* const reverse_kernel = reinterpret_cast<const void*>(&reverse);
const void* const count_kernel = reinterpret_cast<const void*>(&count);
const void* const ids_kernel = reinterpret_cast<const void*>(&ids);
const void* const empty_kernel = reinterpret_cast<const void*>(&empty);
const void* const wait_kernel = reinterpret_cast<const void*>(&wait_for);
const void* const append_kernel = reinterpret_cast<const void*>(&append);
const void* const many_numbers_kernel = reinterpret_cast<const void*>(&many_numbers);
const void* const write_kernel = reinterpret_cast<const void*>(&write);
const void* const print_kernel = reinterpret_cast<const void*>(&print);
const void* const variables_kernel = reinterpret_cast<const void*>(&variables);
const void* const early_return_kernel = reinterpret_cast<const void*>(&early_return);
const void* const bounded_kernel = reinterpret_cast<const void*>(&bounded);
const void* const table_symbol = &table;
const void* const factor_symbol = &factor;
int* managed_number_address() { return &managed_number; }
#endif
