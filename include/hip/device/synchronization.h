/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Barriers of a work-group, fences, clocks and the end of a kernel.
 */
#ifndef HIP_DEVICE_SYNCHRONIZATION_H_
#define HIP_DEVICE_SYNCHRONIZATION_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_DEVICE_INLINE_ __device__ static inline __attribute__((always_inline))

/* All work-items of the work-group arrive before any goes on; what they wrote before is then visible. */
__device__ inline __attribute__((always_inline, convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

extern "C" __device__ __attribute__((convergent)) int __ockl_wgred_add_i32(int);
extern "C" __device__ __attribute__((convergent)) int __ockl_wgred_and_i32(int);
extern "C" __device__ __attribute__((convergent)) int __ockl_wgred_or_i32(int);

/* __syncthreads() that also tells how many work-items have a predicate that is not zero, or whether all or
 * any have. */
__device__ inline __attribute__((convergent)) int __syncthreads_count(int predicate) {
  return __ockl_wgred_add_i32(predicate != 0);
}
__device__ inline __attribute__((convergent)) int __syncthreads_and(int predicate) {
  return __ockl_wgred_and_i32(predicate != 0);
}
__device__ inline __attribute__((convergent)) int __syncthreads_or(int predicate) {
  return __ockl_wgred_or_i32(predicate != 0);
}

/* What this work-item wrote before is visible to the others of its work-group, agent or system before what it
 * writes later. */
HIP_DEVICE_INLINE_ void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
HIP_DEVICE_INLINE_ void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
HIP_DEVICE_INLINE_ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* A counter for durations within one kernel, at the rate that hipDeviceAttributeClockRate tells. */
extern "C" __device__ long __heddle_clock64();
HIP_DEVICE_INLINE_ long long __clock64() { return __heddle_clock64(); }
HIP_DEVICE_INLINE_ long long __clock() { return __clock64(); }
HIP_DEVICE_INLINE_ long long clock64() { return __clock64(); }
HIP_DEVICE_INLINE_ long long clock() { return __clock64(); }
/* A counter with a constant rate, which hipDeviceAttributeWallClockRate tells. */
HIP_DEVICE_INLINE_ long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }

/* Gives other waves time; the number is a hint that has no unit. */
HIP_DEVICE_INLINE_ void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }

/* Ends the kernel with an error of its queue. */
HIP_DEVICE_INLINE_ void __trap() { __builtin_trap(); }
/* Ends the process. What was printed before is shown. */
extern "C" __device__ __attribute__((noreturn)) void __heddle_abort();
HIP_DEVICE_INLINE_ void abort() { __heddle_abort(); }

#undef HIP_DEVICE_INLINE_

#endif
#endif /* HIP_DEVICE_SYNCHRONIZATION_H_ */
