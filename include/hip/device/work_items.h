/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Where a work-item is in its grid: threadIdx, blockIdx, blockDim and gridDim, with elements x, y and z, and
 * warpSize. They read the identifiers of the device each time and take no memory.
 */
#ifndef HIP_DEVICE_WORK_ITEMS_H_
#define HIP_DEVICE_WORK_ITEMS_H_

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>

#if defined(__HIP__) && defined(__cplusplus)

extern "C" __device__ __SIZE_TYPE__ __ockl_get_local_id(unsigned);
extern "C" __device__ __SIZE_TYPE__ __ockl_get_group_id(unsigned);
extern "C" __device__ __SIZE_TYPE__ __ockl_get_local_size(unsigned);
extern "C" __device__ __SIZE_TYPE__ __ockl_get_num_groups(unsigned);

/* A triple whose elements READ returns for dimension 0, 1 and 2. */
#define HIP_COORDINATES_(NAME, READ)                                                                         \
  struct NAME {                                                                                              \
    __declspec(property(get = read_x_)) unsigned x;                                                          \
    __declspec(property(get = read_y_)) unsigned y;                                                          \
    __declspec(property(get = read_z_)) unsigned z;                                                          \
    static inline __attribute__((always_inline)) __device__ unsigned read_x_() { return unsigned(READ(0)); } \
    static inline __attribute__((always_inline)) __device__ unsigned read_y_() { return unsigned(READ(1)); } \
    static inline __attribute__((always_inline)) __device__ unsigned read_z_() { return unsigned(READ(2)); } \
    __device__ operator dim3() const { return dim3(x, y, z); }                                               \
    __device__ operator uint3() const { return uint3(x, y, z); }                                             \
    NAME() = default;                                                                                        \
    NAME(const NAME&) = delete;                                                                              \
    NAME& operator=(const NAME&) = delete;                                                                   \
  };

HIP_COORDINATES_(__hip_builtin_threadIdx_t, __ockl_get_local_id)
HIP_COORDINATES_(__hip_builtin_blockIdx_t, __ockl_get_group_id)
HIP_COORDINATES_(__hip_builtin_blockDim_t, __ockl_get_local_size)
HIP_COORDINATES_(__hip_builtin_gridDim_t, __ockl_get_num_groups)

#undef HIP_COORDINATES_

extern const __device__ __attribute__((weak)) __hip_builtin_threadIdx_t threadIdx;
extern const __device__ __attribute__((weak)) __hip_builtin_blockIdx_t blockIdx;
extern const __device__ __attribute__((weak)) __hip_builtin_blockDim_t blockDim;
extern const __device__ __attribute__((weak)) __hip_builtin_gridDim_t gridDim;

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

/* Every agent executes HIP in waves of 32 work-items. */
__device__ static constexpr int warpSize = 32;

#endif
#endif /* HIP_DEVICE_WORK_ITEMS_H_ */
