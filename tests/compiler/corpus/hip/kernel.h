// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of the corpus need of HIP, which is compiled without its headers here.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __noinline__ __attribute__((noinline))
#define KERNEL extern "C" __global__ void

using uint = unsigned;
using ulong = unsigned long;

extern "C" {
__device__ ulong __ockl_get_global_id(uint);
__device__ ulong __ockl_get_local_size(uint);
__device__ ulong __ockl_get_group_id(uint);
}

__device__ inline uint thread() { return __builtin_amdgcn_workitem_id_x(); }
__device__ inline uint threads() { return static_cast<uint>(__ockl_get_local_size(0)); }
__device__ inline uint block() { return static_cast<uint>(__ockl_get_group_id(0)); }
__device__ inline uint at() { return static_cast<uint>(__ockl_get_global_id(0)); }
__device__ inline void sync_threads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
