/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Atomic operations on global and group memory. Each returns the value from before. They are relaxed: they
 * order no other access. Without a suffix they are atomic for all work-items of the device, with _block for
 * those of the work-group, with _system for all agents and the host, too.
 */
#ifndef HIP_DEVICE_ATOMICS_H_
#define HIP_DEVICE_ATOMICS_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_ATOMIC_INLINE_ __device__ static inline __attribute__((always_inline))

/* One operation for one type, in the three scopes. */
#define HIP_ATOMIC_SCOPES_(DEFINE, NAME, T, ...)                     \
  DEFINE(NAME, T, __HIP_MEMORY_SCOPE_AGENT, __VA_ARGS__)             \
  DEFINE(NAME##_block, T, __HIP_MEMORY_SCOPE_WORKGROUP, __VA_ARGS__) \
  DEFINE(NAME##_system, T, __HIP_MEMORY_SCOPE_SYSTEM, __VA_ARGS__)

#define HIP_ATOMIC_FETCH_(NAME, T, SCOPE, BUILTIN) \
  HIP_ATOMIC_INLINE_ T NAME(T* object, T value) { return BUILTIN(object, value, __ATOMIC_RELAXED, SCOPE); }
#define HIP_ATOMIC_SUBTRACT_(NAME, T, SCOPE, ...)                           \
  HIP_ATOMIC_INLINE_ T NAME(T* object, T value) {                           \
    return __hip_atomic_fetch_add(object, -value, __ATOMIC_RELAXED, SCOPE); \
  }
#define HIP_ATOMIC_SWAP_IF_(NAME, T, SCOPE, ...)                                                         \
  HIP_ATOMIC_INLINE_ T NAME(T* object, T expected, T desired) {                                          \
    __hip_atomic_compare_exchange_strong(object, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                         SCOPE);                                                         \
    return expected;                                                                                     \
  }

#define HIP_ATOMIC_INTEGER_(T)                                                \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicAdd, T, __hip_atomic_fetch_add) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SUBTRACT_, atomicSub, T, )                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicExch, T, __hip_atomic_exchange) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMin, T, __hip_atomic_fetch_min) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMax, T, __hip_atomic_fetch_max) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicAnd, T, __hip_atomic_fetch_and) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicOr, T, __hip_atomic_fetch_or)   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicXor, T, __hip_atomic_fetch_xor) \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SWAP_IF_, atomicCAS, T, )

HIP_ATOMIC_INTEGER_(int)
HIP_ATOMIC_INTEGER_(unsigned int)
HIP_ATOMIC_INTEGER_(long)
HIP_ATOMIC_INTEGER_(unsigned long)
HIP_ATOMIC_INTEGER_(long long)
HIP_ATOMIC_INTEGER_(unsigned long long)

#define HIP_ATOMIC_REAL_(T)                                                                      \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicAdd, T, __hip_atomic_fetch_add)                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SUBTRACT_, atomicSub, T, )                                       \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicExch, T, __hip_atomic_exchange)                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMin, T, __hip_atomic_fetch_min)                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMax, T, __hip_atomic_fetch_max)                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SWAP_IF_, atomicCAS, T, )                                        \
  /* On hardware where it matters, the first may be faster and the second always works. */       \
  HIP_ATOMIC_INLINE_ T unsafeAtomicAdd(T* object, T value) { return atomicAdd(object, value); }  \
  HIP_ATOMIC_INLINE_ T safeAtomicAdd(T* object, T value) { return atomicAdd(object, value); }    \
  HIP_ATOMIC_INLINE_ void atomicAddNoRet(T* object, T value) { (void)atomicAdd(object, value); } \
  HIP_ATOMIC_INLINE_ T unsafeAtomicMin(T* object, T value) { return atomicMin(object, value); }  \
  HIP_ATOMIC_INLINE_ T unsafeAtomicMax(T* object, T value) { return atomicMax(object, value); }  \
  HIP_ATOMIC_INLINE_ T safeAtomicMin(T* object, T value) { return atomicMin(object, value); }    \
  HIP_ATOMIC_INLINE_ T safeAtomicMax(T* object, T value) { return atomicMax(object, value); }

HIP_ATOMIC_REAL_(float)
HIP_ATOMIC_REAL_(double)

/* Counts up to the limit and then starts at 0 again, or down to 0 and then starts at the limit. */
HIP_ATOMIC_INLINE_ unsigned int atomicInc(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(object, limit, __ATOMIC_RELAXED, "agent");
}
HIP_ATOMIC_INLINE_ unsigned int atomicDec(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(object, limit, __ATOMIC_RELAXED, "agent");
}
HIP_ATOMIC_INLINE_ unsigned int atomicInc_block(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(object, limit, __ATOMIC_RELAXED, "workgroup");
}
HIP_ATOMIC_INLINE_ unsigned int atomicDec_block(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(object, limit, __ATOMIC_RELAXED, "workgroup");
}
HIP_ATOMIC_INLINE_ unsigned int atomicInc_system(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(object, limit, __ATOMIC_RELAXED, "");
}
HIP_ATOMIC_INLINE_ unsigned int atomicDec_system(unsigned int* object, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(object, limit, __ATOMIC_RELAXED, "");
}

#undef HIP_ATOMIC_INTEGER_
#undef HIP_ATOMIC_REAL_
#undef HIP_ATOMIC_FETCH_
#undef HIP_ATOMIC_SUBTRACT_
#undef HIP_ATOMIC_SWAP_IF_
#undef HIP_ATOMIC_SCOPES_
#undef HIP_ATOMIC_INLINE_

#endif
#endif /* HIP_DEVICE_ATOMICS_H_ */
