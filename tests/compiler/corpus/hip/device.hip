// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory, variables of devices, atomic operations, and the arithmetic of HIP's small types.
#include "kernel.h"

// ---- shared memory ----
KERNEL static_shared(int* out, const int* a) {
  __shared__ int values[32];
  values[thread()] = a[at()];
  sync_threads();
  out[at()] = values[31 - thread()];
}
extern __shared__ char dynamic_memory[];
KERNEL dynamic_shared(int* out, const int* a) {
  int* const values = reinterpret_cast<int*>(dynamic_memory);
  values[thread()] = a[at()] / 32;
  for (uint step = threads() / 2; step > 0; step /= 2) {
    sync_threads();
    if (thread() < step) values[thread()] += values[thread() + step];
  }
  sync_threads();
  out[at()] = values[0];
}
KERNEL static_and_dynamic_shared(long* out, const int* a) {
  __shared__ long sums[2];
  short* const values = reinterpret_cast<short*>(dynamic_memory);
  values[thread()] = short(a[at()]);
  sync_threads();
  if (thread() < 2) {
    long sum = 0;
    for (uint i = thread(); i < threads(); i += 2) sum += values[i];
    sums[thread()] = sum;
  }
  sync_threads();
  out[at()] = sums[0] * 1000003 - sums[1];
}
template <uint n, int round>
__device__ void reversed_in_tile(int* out, const int* a) {
  __shared__ int tile[n];
  tile[thread()] = a[at()] - round;
  sync_threads();
  out[at()] = tile[n - 1 - thread()];
}
KERNEL shared_of_templates(int* out, const int* a) {
  reversed_in_tile<32, 0>(out, a);
  sync_threads();
  if (block() == 0) reversed_in_tile<32, 1>(out, out);
}
KERNEL tiled_transpose(float* out, const float* in) {
  __shared__ float tile[8][9];
  const uint x = thread() % 8, y = thread() / 8, column = block() % 3, row = block() / 3;
  tile[y][x] = in[(row * 8 + y) * 24 + column * 8 + x];
  sync_threads();
  out[(column * 8 + y) * 16 + row * 8 + x] = tile[x][y];
}
__launch_bounds__(64) KERNEL launch_bounds_one(uint* out) { out[at()] = threads(); }
KERNEL __launch_bounds__(128, 2) launch_bounds_two(uint* out) { out[at()] = threads() + 1; }

// ---- variables ----
__constant__ float coefficients[4] = {1, 0.5f, 0.25f, 0.125f};
__device__ int device_counter = 41;
__device__ const char* const names[] = {"zero", "one", "two"};
KERNEL constant_variable(float* out, const uint* a) { out[at()] = coefficients[a[at()] % 4] * float(at()); }
KERNEL device_variable(int* out) {
  device_counter += 1;
  out[0] = device_counter > 41;
}
KERNEL strings(int* out, const uint* a) {
  const char* const name = names[a[at()] % 3];
  int length = 0;
  while (name[length] != 0) ++length;
  out[at()] = length * 256 + name[0];
}
struct Settings { int offset; float scale; double bias[2]; };
KERNEL structure_argument(double* out, Settings settings, const int* a) {
  out[at()] = (a[at()] % 1000 + settings.offset) * settings.scale + settings.bias[at() % 2];
}
KERNEL scalar_arguments(double* out, signed char a, unsigned short b, bool c, long d, float e, double f) { out[at()] = a + b + c + double(d) + e + f; }

// ---- atomic operations ----
template <typename T>
__device__ T atomic_add(T* object, T value) { return __hip_atomic_fetch_add(object, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
KERNEL atomic_integers(int* c, ulong* l) {
  atomic_add(&c[0], 3);
  __hip_atomic_fetch_max(&c[1], int(at()), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_fetch_min(&c[2], -int(at()), __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_xor(&c[3], int(at()), __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_or(&c[4], 1 << at() % 32, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_and(&c[5], ~(1 << at() % 16), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  atomic_add(&l[0], ulong(at()) << 32);
}
KERNEL atomic_reals(float* f, double* d) {
  atomic_add(&f[0], 0.5f);
  atomic_add(&d[0], 0.25);
  __hip_atomic_fetch_max(&f[1], float(at()), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_min(&d[1], -double(at()), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL compare_and_swap(int* counter) {
  int seen = __hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(counter, &seen, seen * 1 + int(at()), __ATOMIC_ACQ_REL, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT)) {}
}
KERNEL wrapping_counters(uint* c) {
  __builtin_amdgcn_atomic_inc32(&c[0], 6u, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_dec32(&c[1], 9u, __ATOMIC_RELAXED, "agent");
}
KERNEL shared_atomics(int* out) {
  __shared__ int sum;
  __shared__ float real_sum;
  if (thread() == 0) sum = 0, real_sum = 0;
  sync_threads();
  __hip_atomic_fetch_add(&sum, int(thread()), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_add(&real_sum, 0.5f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  sync_threads();
  out[at()] = sum * 100 + int(real_sum);
}
KERNEL last_block(int* result, int* partial, uint* done) {
  // Each block leaves a sum; the last one to come adds them.
  __shared__ bool is_last;
  if (thread() == 0) {
    partial[block()] = int(block()) + 1;
    const uint before = __hip_atomic_fetch_add(done, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    is_last = before == 4;
  }
  sync_threads();
  if (is_last && thread() == 0) {
    int sum = 0;
    for (int i = 0; i < 5; ++i) sum += partial[i];
    *result = sum;
  }
}

// ---- numbers ----
using half = _Float16;
KERNEL half_arithmetic(half* out, const half* a, const half* b) { out[at()] = a[at()] * b[at()] - a[at()] / b[at()]; }
KERNEL half_comparison(int* out, const half* a, const half* b) { out[at()] = (a[at()] < b[at()]) + 2 * (a[at()] == b[at()]) + 4 * (a[at()] >= half(1)); }
typedef half half2 __attribute__((ext_vector_type(2)));
KERNEL packed_half(half2* out, const half2* a, const half2* b) { out[at()] = a[at()] + b[at()].yx; }
KERNEL bfloat_conversion(unsigned short* out, const float* a) { out[at()] = __builtin_bit_cast(unsigned short, __bf16(a[at()])); }
KERNEL bfloat_arithmetic(float* out, const unsigned short* a) {
  const __bf16 x = __builtin_bit_cast(__bf16, a[at()]);
  out[at()] = float(__bf16(float(x) * 1.5f)) + float(x);
}
extern "C" __device__ float __ocml_fma_f32(float, float, float);
extern "C" __device__ double __ocml_sqrt_f64(double);
KERNEL library_functions(double* out, const float* a) { out[at()] = __ocml_sqrt_f64(double(__ocml_fma_f32(a[at()], a[at()], 1.0f))); }
KERNEL wide_integers(ulong* out, const ulong* a, const ulong* b) {
  const unsigned __int128 product = (unsigned __int128)a[at()] * b[at()];
  out[at()] = ulong(product >> 64) ^ ulong(product);
}
KERNEL builtins(uint* out, const uint* a) {
  out[at()] = uint(__builtin_popcount(a[at()])) + 64 * uint(__builtin_clz(a[at()] | 1)) + __builtin_bswap32(a[at()]) + __builtin_bitreverse32(a[at()]);
}
extern "C" __device__ int printf(const char*, ...);
KERNEL prints(int n) {
  if (int(at()) < n) printf("item %u of %s: %.2f %ld\n", at(), "HIP", at() * 0.5, -long(at()));
}
