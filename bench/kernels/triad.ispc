// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of triad.hsail.
#include "parts.isph"

task void triad_part(uniform float out[], const uniform float b[], const uniform float c[], uniform float factor,
                     uniform int n) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) out[i] = factor * c[i] + b[i];
}

export void triad(uniform float out[], const uniform float b[], const uniform float c[], uniform float factor, uniform int n) {
  launch[tasks] triad_part(out, b, c, factor, n);
}
