// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of bitonic_sort.hsail.
#include "parts.isph"

/// Orders the pairs whose lower keys are `low` by the bit `size` of their indexes.
#define ORDER(low)                                                        \
  const unsigned int32 a = keys[low], b = keys[(low) + distance];         \
  const bool upwards = ((low)&size) == 0;                                 \
  keys[low] = upwards ? min(a, b) : max(a, b);                            \
  keys[(low) + distance] = upwards ? max(a, b) : min(a, b)

/// A vector of pairs is two contiguous vectors of keys if the distance is at least programCount.
task void bitonic_part(uniform unsigned int32 keys[], uniform int distance, uniform int size, uniform int pairs) {
  const uniform int begin = part_begin(pairs, taskIndex, taskCount), end = part_begin(pairs, taskIndex + 1, taskCount);
  if (distance >= programCount && end % programCount == 0) {
    for (uniform int pair = begin; pair < end; pair += programCount) {
      const uniform int rest = pair & (distance - 1);
      const uniform int first = (pair - rest) * 2 | rest;
      ORDER(first + programIndex);
    }
  } else {
    foreach (pair = begin ... end) {
      const int rest = pair & (distance - 1);
      const int i = (pair - rest) * 2 | rest;
      ORDER(i);
    }
  }
}

export void bitonic_step(uniform unsigned int32 keys[], uniform int distance, uniform int size, uniform int groups) {
  launch[tasks] bitonic_part(keys, distance, size, groups * 256);
}
