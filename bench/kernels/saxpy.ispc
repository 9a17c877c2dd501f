// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of saxpy.hsail.
#include "parts.isph"

task void saxpy_part(uniform float y[], const uniform float x[], uniform float a, uniform int n) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) y[i] = a * x[i] + y[i];
}

export void saxpy(uniform float y[], const uniform float x[], uniform float a, uniform int n) {
  launch[tasks] saxpy_part(y, x, a, n);
}
