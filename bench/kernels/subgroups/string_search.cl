// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The twin of ../string_search.hsail in OpenCL C 3.0: the work-items of a sub-group go on as long as one of them has to.

kernel void string_search(global uchar *found, global const uchar *text, global const uchar *pattern, uint n, uint length) {
  uint i = get_global_id(0);
  if (i >= n) return;
  bool same = true;
  size_t j = 0;
  do same = same & (text[i + j] == pattern[j]);
  while (sub_group_any(same) && ++j < length);
  found[i] = same;
}
