// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/vector_add.hsail.
#include "parts.isph"

task void vector_add_part(uniform float out[], const uniform float a[], const uniform float b[], uniform int n) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) out[i] = a[i] + b[i];
}

export void vector_add(uniform float out[], const uniform float a[], const uniform float b[], uniform int n) {
  launch[tasks] vector_add_part(out, a, b, n);
}
