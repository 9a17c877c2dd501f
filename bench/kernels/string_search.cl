// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of string_search.hsail, in which each work-item stops on its own.
#pragma OPENCL FP_CONTRACT OFF

kernel void string_search(global uchar *found, global const uchar *text, global const uchar *pattern, uint n,
                          uint length) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint j = 0;
  while (j < length && text[i + j] == pattern[j]) ++j;
  found[i] = j == length;
}
