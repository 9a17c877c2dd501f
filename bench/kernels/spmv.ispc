// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of spmv.hsail.
#include "parts.isph"

/// The program instances share a row: its entries are side by side, those of several rows would have to be gathered.
task void spmv_part(uniform float y[], const uniform int begin[], const uniform int columns[], const uniform float values[],
                    const uniform float x[], uniform int rows) {
  for (uniform int row = part_begin(rows, taskIndex, taskCount); row < part_begin(rows, taskIndex + 1, taskCount); ++row) {
    float sum = 0;
    foreach (i = begin[row] ... begin[row + 1]) sum = values[i] * x[columns[i]] + sum;
    y[row] = reduce_add(sum);
  }
}

export void spmv(uniform float y[], const uniform int begin[], const uniform int columns[], const uniform float values[],
                 const uniform float x[], uniform int rows) {
  launch[tasks] spmv_part(y, begin, columns, values, x, rows);
}
