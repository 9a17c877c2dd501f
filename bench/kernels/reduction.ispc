// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/reduction.hsail.
#include "parts.isph"

task void reduce_sum_part(uniform float out[], const uniform float source[], uniform int n) {
  float sum = 0;
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) sum += source[i];
  out[taskIndex] = reduce_add(sum);
}

export void reduce_sum(uniform float out[], const uniform float source[], uniform int n, uniform int groups) {
  launch[groups] reduce_sum_part(out, source, n);
}
