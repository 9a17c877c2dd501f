// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of string_search.hsail.
#include "parts.isph"

/// All program instances go on until none of them can match any more: it costs less to compare characters in vain than to
/// leave some instances out.
task void string_search_part(uniform unsigned int8 found[], const uniform unsigned int8 text[],
                             const uniform unsigned int8 pattern[], uniform int n, uniform int length) {
  foreach (i = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) {
    bool match = true;
    for (uniform int j = 0; j < length && any(match); ++j) match = match & (text[i + j] == pattern[j]);
    found[i] = match ? 1 : 0;
  }
}

export void string_search(uniform unsigned int8 found[], const uniform unsigned int8 text[],
                          const uniform unsigned int8 pattern[], uniform int n, uniform int length) {
  launch[tasks] string_search_part(found, text, pattern, n, length);
}
