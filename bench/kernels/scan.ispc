// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of scan.hsail.
#include "parts.isph"

static const uniform int block = 1024;

task void scan_blocks_part(uniform unsigned int32 out[], uniform unsigned int32 sums[], const uniform unsigned int32 source[],
                           uniform int n, uniform int blocks) {
  for (uniform int b = row_begin(blocks, taskIndex, taskCount); b < row_begin(blocks, taskIndex + 1, taskCount); ++b) {
    uniform unsigned int32 before = 0;
    foreach (i = b * block ... min(n, (b + 1) * block)) {
      const unsigned int32 value = source[i];
      out[i] = before + exclusive_scan_add(value) + value;
      before += reduce_add(value);
    }
    sums[b] = before;
  }
}

export void scan_blocks(uniform unsigned int32 out[], uniform unsigned int32 sums[], const uniform unsigned int32 source[],
                        uniform int n, uniform int blocks) {
  launch[min(tasks, blocks)] scan_blocks_part(out, sums, source, n, blocks);
}

task void scan_add_part(uniform unsigned int32 out[], const uniform unsigned int32 sums[], uniform int n,
                        uniform int blocks) {
  for (uniform int b = row_begin(blocks, taskIndex, taskCount); b < row_begin(blocks, taskIndex + 1, taskCount); ++b) {
    if (b == 0) continue;
    foreach (i = b * block ... min(n, (b + 1) * block)) out[i] += sums[b - 1];
  }
}

export void scan_add(uniform unsigned int32 out[], const uniform unsigned int32 sums[], uniform int n,
                     uniform int blocks) {
  launch[min(tasks, blocks)] scan_add_part(out, sums, n, blocks);
}
