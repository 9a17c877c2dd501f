// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests' kernels need of HIP's language, so that they compile without installed headers.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

#include <hip/hip_runtime_api.h>

extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 group, size_t dynamic, hipStream_t stream);
extern "C" hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 group, void** arguments,
                                      size_t dynamic, hipStream_t stream);

extern "C" __device__ size_t __ockl_get_local_id(unsigned);
extern "C" __device__ size_t __ockl_get_group_id(unsigned);
extern "C" __device__ size_t __ockl_get_local_size(unsigned);
extern "C" __device__ size_t __ockl_get_num_groups(unsigned);

static __device__ inline unsigned item(unsigned dimension) {
  return static_cast<unsigned>(__ockl_get_group_id(dimension) * __ockl_get_local_size(dimension) +
                               __ockl_get_local_id(dimension));
}
static __device__ inline void group_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
