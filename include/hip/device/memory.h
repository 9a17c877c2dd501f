/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Copies and fills of memory, and loads with hints for caches, which heddle's agents have no use for.
 */
#ifndef HIP_DEVICE_MEMORY_H_
#define HIP_DEVICE_MEMORY_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

/* Kernels cannot call those of the C library, which run on the host. They have the linkage of C++, so that a
 * compiler does not take the builtins in them for calls of themselves. */
__device__ static inline __attribute__((always_inline)) void* memcpy(void* to, const void* from,
                                                                     __SIZE_TYPE__ size) {
  return __builtin_memcpy(to, from, size);
}
__device__ static inline __attribute__((always_inline)) void* memmove(void* to, const void* from,
                                                                      __SIZE_TYPE__ size) {
  return __builtin_memmove(to, from, size);
}
__device__ static inline __attribute__((always_inline)) void* memset(void* to, int byte, __SIZE_TYPE__ size) {
  return __builtin_memset(to, byte, size);
}

template <typename T>
__device__ static inline __attribute__((always_inline)) T __ldg(const T* address) {
  return *address;
}
template <typename T>
__device__ static inline __attribute__((always_inline)) T __ldca(const T* address) {
  return *address;
}
template <typename T>
__device__ static inline __attribute__((always_inline)) T __ldcg(const T* address) {
  return *address;
}
template <typename T>
__device__ static inline __attribute__((always_inline)) T __ldcs(const T* address) {
  return *address;
}
template <typename T>
__device__ static inline __attribute__((always_inline)) T __ldcv(const T* address) {
  return *(const volatile T*)address;
}

#endif
#endif /* HIP_DEVICE_MEMORY_H_ */
