/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Communication within a wave, which HIP calls a warp: votes and shuffles. A wave has warpSize work-items; a
 * mask has a bit for each, the lowest for lane 0. `width` is a power of two up to warpSize and divides the
 * wave into parts that do not see each other. A work-item that reads from a lane outside of its part, or from
 * one that does not take part, gets its own value or an undefined one, respectively.
 */
#ifndef HIP_DEVICE_WARPS_H_
#define HIP_DEVICE_WARPS_H_

#include <hip/device/work_items.h>

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_WARP_INLINE_ __device__ static inline __attribute__((always_inline, convergent))

HIP_WARP_INLINE_ unsigned __lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

/* Votes of the lanes that take part. */
HIP_WARP_INLINE_ unsigned long long __ballot64(int predicate) {
  return (unsigned long long)__builtin_amdgcn_ballot_w32(predicate != 0);
}
HIP_WARP_INLINE_ unsigned long long __ballot(int predicate) { return __ballot64(predicate); }
HIP_WARP_INLINE_ unsigned long long __activemask() { return __ballot64(1); }
HIP_WARP_INLINE_ int __any(int predicate) { return __ballot64(predicate) != 0; }
HIP_WARP_INLINE_ int __all(int predicate) { return __ballot64(predicate) == __activemask(); }

/* Moves of 32 bits between lanes; addresses are four times the number of a lane. */
HIP_WARP_INLINE_ int __hip_ds_bpermute(int address, int value) {
  return __builtin_amdgcn_ds_bpermute(address, value);
}
HIP_WARP_INLINE_ float __hip_ds_bpermutef(int address, float value) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(address, __builtin_bit_cast(int, value)));
}
HIP_WARP_INLINE_ int __hip_ds_permute(int address, int value) {
  return __builtin_amdgcn_ds_permute(address, value);
}
HIP_WARP_INLINE_ float __hip_ds_permutef(int address, float value) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_permute(address, __builtin_bit_cast(int, value)));
}
#define __hip_ds_swizzle(value, pattern) __hip_ds_swizzle_N<(pattern)>((value))
#define __hip_ds_swizzlef(value, pattern) __hip_ds_swizzlef_N<(pattern)>((value))
template <int pattern>
HIP_WARP_INLINE_ int __hip_ds_swizzle_N(int value) {
  return __builtin_amdgcn_ds_swizzle(value, pattern);
}
template <int pattern>
HIP_WARP_INLINE_ float __hip_ds_swizzlef_N(float value) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, value), pattern));
}
#define __hip_move_dpp(value, control, rows, banks, bound) \
  __hip_move_dpp_N<(control), (rows), (banks), (bound)>((value))
template <int control, int rows, int banks, bool bound>
HIP_WARP_INLINE_ int __hip_move_dpp_N(int value) {
  return __builtin_amdgcn_mov_dpp(value, control, rows, banks, bound);
}

/* Returns the value of a lane. Values of other sizes than 32 bits travel as words. */
template <typename T>
HIP_WARP_INLINE_ T __hip_value_of_lane_(T value, int lane) {
  static_assert(__is_trivially_copyable(T), "only the bytes of a value can be moved to another lane");
  constexpr unsigned count = (sizeof(T) + sizeof(int) - 1) / sizeof(int);
  int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned i = 0; i < count; ++i) words[i] = __builtin_amdgcn_ds_bpermute(lane << 2, words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

HIP_WARP_INLINE_ int __hip_lane_of_part_(int lane, int width) {
  return (lane & (width - 1)) + ((int)__lane_id() & ~(width - 1));
}
HIP_WARP_INLINE_ int __hip_lane_above_(unsigned delta, int width) {
  const int self = (int)__lane_id();
  const int place = self & (width - 1);
  return delta > (unsigned)place ? self : self - (int)delta;
}
HIP_WARP_INLINE_ int __hip_lane_below_(unsigned delta, int width) {
  const int self = (int)__lane_id();
  const unsigned place = (unsigned)(self & (width - 1));
  return delta >= (unsigned)width - place ? self : self + (int)delta;
}
HIP_WARP_INLINE_ int __hip_lane_across_(int mask, int width) {
  const int self = (int)__lane_id();
  const int lane = self ^ mask;
  return lane >= ((self + width) & ~(width - 1)) ? self : lane;
}

/* __shfl: from lane `lane` of the part; _up and _down: from the lane that is `delta` lower or higher; _xor:
 * from the lane whose number differs in the bits of `mask`. */
#define HIP_SHUFFLE_(T)                                                           \
  HIP_WARP_INLINE_ T __shfl(T value, int lane, int width = warpSize) {            \
    return __hip_value_of_lane_(value, __hip_lane_of_part_(lane, width));         \
  }                                                                               \
  HIP_WARP_INLINE_ T __shfl_up(T value, unsigned delta, int width = warpSize) {   \
    return __hip_value_of_lane_(value, __hip_lane_above_(delta, width));          \
  }                                                                               \
  HIP_WARP_INLINE_ T __shfl_down(T value, unsigned delta, int width = warpSize) { \
    return __hip_value_of_lane_(value, __hip_lane_below_(delta, width));          \
  }                                                                               \
  HIP_WARP_INLINE_ T __shfl_xor(T value, int mask, int width = warpSize) {        \
    return __hip_value_of_lane_(value, __hip_lane_across_(mask, width));          \
  }

HIP_SHUFFLE_(int)
HIP_SHUFFLE_(unsigned int)
HIP_SHUFFLE_(long)
HIP_SHUFFLE_(unsigned long)
HIP_SHUFFLE_(long long)
HIP_SHUFFLE_(unsigned long long)
HIP_SHUFFLE_(float)
HIP_SHUFFLE_(double)

#undef HIP_SHUFFLE_

#if !defined(HIP_DISABLE_WARP_SYNC_BUILTINS)

/* The same with a mask of the lanes that take part, an integer of 32 or 64 bits. All of them have to call the
 * function together, which heddle's waves do in any case: the mask only says whose votes count. They are
 * templates, so that overload resolution prefers functions of the same names that a program defines. */
#define HIP_CHECK_MASK_(M) \
  static_assert(sizeof(M) == 4 || sizeof(M) == 8, "masks of lanes are integers of 32 or 64 bits")

template <typename M = unsigned long long>
HIP_WARP_INLINE_ void __syncwarp(M = M(-1)) {
  HIP_CHECK_MASK_(M);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <typename M>
HIP_WARP_INLINE_ unsigned long long __ballot_sync(M mask, int predicate) {
  HIP_CHECK_MASK_(M);
  return __ballot64(predicate) & (unsigned)mask;
}
template <typename M>
HIP_WARP_INLINE_ int __any_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <typename M>
HIP_WARP_INLINE_ int __all_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate) == (__activemask() & (unsigned)mask);
}
template <typename M, typename T>
HIP_WARP_INLINE_ T __shfl_sync(M, T value, int lane, int width = warpSize) {
  HIP_CHECK_MASK_(M);
  return __hip_value_of_lane_(value, __hip_lane_of_part_(lane, width));
}
template <typename M, typename T>
HIP_WARP_INLINE_ T __shfl_up_sync(M, T value, unsigned delta, int width = warpSize) {
  HIP_CHECK_MASK_(M);
  return __hip_value_of_lane_(value, __hip_lane_above_(delta, width));
}
template <typename M, typename T>
HIP_WARP_INLINE_ T __shfl_down_sync(M, T value, unsigned delta, int width = warpSize) {
  HIP_CHECK_MASK_(M);
  return __hip_value_of_lane_(value, __hip_lane_below_(delta, width));
}
template <typename M, typename T>
HIP_WARP_INLINE_ T __shfl_xor_sync(M, T value, int mask, int width = warpSize) {
  HIP_CHECK_MASK_(M);
  return __hip_value_of_lane_(value, __hip_lane_across_(mask, width));
}

template <typename T>
HIP_WARP_INLINE_ bool __hip_same_bits_(T a, T b) {
  static_assert(__is_trivially_copyable(T), "only the bytes of values can be compared");
  unsigned char bytes_of_a[sizeof(T)], bytes_of_b[sizeof(T)];
  __builtin_memcpy(bytes_of_a, &a, sizeof(T));
  __builtin_memcpy(bytes_of_b, &b, sizeof(T));
  bool same = true;
  for (unsigned i = 0; i < sizeof(T); ++i) same = same && bytes_of_a[i] == bytes_of_b[i];
  return same;
}
/* The lanes of `mask` whose value has the same bits as the caller's. */
template <typename M, typename T>
HIP_WARP_INLINE_ unsigned long long __match_any_sync(M mask, T value) {
  HIP_CHECK_MASK_(M);
  const unsigned taking_part = (unsigned)__activemask() & (unsigned)mask;
  unsigned same = 0;
  for (unsigned lanes = taking_part; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    if (__hip_same_bits_(__hip_value_of_lane_(value, lane), value)) same |= 1u << lane;
  }
  return same;
}
/* The lanes of `mask` if their values have the same bits, otherwise none; `all` says which. */
template <typename M, typename T>
HIP_WARP_INLINE_ unsigned long long __match_all_sync(M mask, T value, int* all) {
  HIP_CHECK_MASK_(M);
  const unsigned taking_part = (unsigned)__activemask() & (unsigned)mask;
  const T first = __hip_value_of_lane_(value, __builtin_ctz(taking_part));
  *all = __all_sync(mask, __hip_same_bits_(first, value));
  return *all ? taking_part : 0u;
}

/* Reductions of the values of the lanes of `mask`; each of these lanes gets the result. */
#define HIP_REDUCTION_(NAME, COMBINED)                               \
  template <typename M, typename T>                                  \
  HIP_WARP_INLINE_ T NAME(M mask, T value) {                         \
    HIP_CHECK_MASK_(M);                                              \
    unsigned lanes = (unsigned)__activemask() & (unsigned)mask;      \
    T a = __hip_value_of_lane_(value, __builtin_ctz(lanes));         \
    for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {       \
      const T b = __hip_value_of_lane_(value, __builtin_ctz(lanes)); \
      a = COMBINED;                                                  \
    }                                                                \
    return a;                                                        \
  }

HIP_REDUCTION_(__reduce_add_sync, a + b)
HIP_REDUCTION_(__reduce_min_sync, b < a ? b : a)
HIP_REDUCTION_(__reduce_max_sync, a < b ? b : a)
HIP_REDUCTION_(__reduce_and_sync, a& b)
HIP_REDUCTION_(__reduce_or_sync, a | b)
HIP_REDUCTION_(__reduce_xor_sync, a ^ b)

#undef HIP_REDUCTION_
#undef HIP_CHECK_MASK_

#endif

#undef HIP_WARP_INLINE_

#endif
#endif /* HIP_DEVICE_WARPS_H_ */
