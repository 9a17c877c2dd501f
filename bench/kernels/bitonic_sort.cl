// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of bitonic_sort.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void bitonic_step(global uint *keys, uint distance, uint size) {
  uint pair = get_global_id(0), low_bits = pair & (distance - 1);
  uint i = (pair - low_bits) * 2 | low_bits;
  uint a = keys[i], b = keys[i + distance];
  bool upwards = (i & size) == 0;
  keys[i] = upwards ? min(a, b) : max(a, b);
  keys[i + distance] = upwards ? max(a, b) : min(a, b);
}
