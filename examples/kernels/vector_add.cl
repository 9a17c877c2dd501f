// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[i] = a[i] + b[i]. The smallest useful kernel: one work-item for each element.

// Grid: at least n work-items in x. Any work-group size. The arrays have n elements.
kernel void vector_add(global float* out, global const float* a, global const float* b, uint n) {
  const uint i = get_global_id(0);
  if (i < n) out[i] = a[i] + b[i];  // the grid may be larger than the vector
}
