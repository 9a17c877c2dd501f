/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reductions over the members of a cooperative group. All members have to call these functions, and all get
 * the result.
 */
#ifndef HIP_DEVICE_GROUP_REDUCTIONS_H_
#define HIP_DEVICE_GROUP_REDUCTIONS_H_

#include <hip/hip_cooperative_groups.h>

#if defined(__HIP__) && defined(__cplusplus)

namespace cooperative_groups {

#define HIP_GROUP_OPERATION_(NAME, RESULT)                                                        \
  template <typename T>                                                                           \
  struct NAME {                                                                                   \
    __device__ inline __attribute__((always_inline)) T operator()(const T& a, const T& b) const { \
      return RESULT;                                                                              \
    }                                                                                             \
  };

HIP_GROUP_OPERATION_(plus, a + b)
HIP_GROUP_OPERATION_(less, b < a ? b : a)
HIP_GROUP_OPERATION_(greater, a < b ? b : a)
HIP_GROUP_OPERATION_(bit_and, a& b)
HIP_GROUP_OPERATION_(bit_or, a | b)
HIP_GROUP_OPERATION_(bit_xor, a ^ b)

#undef HIP_GROUP_OPERATION_

/* A butterfly reduction: members exchange values at distances 1, 2, 4 and so on. Both members of a pair put
 * the value of the lower one first, so that all results have the same bits. */
template <unsigned Size, typename Parent, typename T, typename Operation>
__device__ inline __attribute__((always_inline, convergent)) T
reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  for (unsigned distance = 1; distance < Size; distance *= 2) {
    const T other = tile.shfl_xor(value, distance);
    const bool lower = (tile.thread_rank() & distance) == 0;
    value = operation(lower ? value : other, lower ? other : value);
  }
  return value;
}
template <typename T, typename Operation>
__device__ inline __attribute__((always_inline, convergent)) T reduce(const coalesced_group& group, T value,
                                                                      Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    result = operation(result, group.shfl(value, int(rank)));
  return result;
}

}  // namespace cooperative_groups

#endif
#endif /* HIP_DEVICE_GROUP_REDUCTIONS_H_ */
