/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Loads with hints for caches, which heddle's agents have no use for.
 */
#ifndef HIP_DEVICE_MEMORY_H_
#define HIP_DEVICE_MEMORY_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

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
