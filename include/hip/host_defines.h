/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The words that say where a function runs and where a variable is. clang defines most of them itself when it
 * compiles HIP; for other compilers, which see the host's half only, they mean nothing.
 */
#ifndef HIP_HOST_DEFINES_H_
#define HIP_HOST_DEFINES_H_

#if defined(__HIP__)

#ifndef __host__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#endif
#ifndef __managed__
#define __managed__ __attribute__((managed))
#endif

#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __hip_launch_bounds_of_threads(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __hip_launch_bounds_of_threads_and_groups(threads, groups) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(groups)))
#define __hip_select_launch_bounds(first, second, which, ...) which
/* The largest work-group of a kernel, and optionally how many of them should fit a compute unit at once. */
#define __launch_bounds__(...)                                                       \
  __hip_select_launch_bounds(__VA_ARGS__, __hip_launch_bounds_of_threads_and_groups, \
                             __hip_launch_bounds_of_threads, )(__VA_ARGS__)

#else

#ifndef __host__
#define __host__
#define __device__
#endif
#define __global__
#define __shared__
#define __constant__
#define __managed__
#ifndef __noinline__
#define __noinline__
#endif
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#define __launch_bounds__(...)

#endif

#ifndef __HOST_DEVICE__
#define __HOST_DEVICE__ __host__ __device__
#endif

/* For types and variables whose address is to be a multiple of `bytes`. */
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif

/* Dynamic group memory under a name of the program's choice. */
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

/* The name of a variable of the device, for functions that take one. */
#define HIP_SYMBOL(variable) variable

#endif /* HIP_HOST_DEFINES_H_ */
