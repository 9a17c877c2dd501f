// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/histogram.hsail.
#include "parts.isph"

/// Counts with one program instance, because several could meet in one bin.
task void histogram_part(uniform unsigned int32 bins[], const uniform unsigned int8 source[], uniform int n) {
  uniform unsigned int32 count[256];
  foreach (bin = 0 ... 256) count[bin] = 0;
  for (uniform int i = part_begin(n, taskIndex, taskCount); i < part_begin(n, taskIndex + 1, taskCount); ++i) ++count[source[i]];
  foreach (bin = 0 ... 256) atomic_add_global(bins + bin, count[bin]);
}

export void histogram(uniform unsigned int32 bins[], const uniform unsigned int8 source[], uniform int n) {
  launch[tasks] histogram_part(bins, source, n);
}
