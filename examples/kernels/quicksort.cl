// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every work-item sorts a slice of its own, by a function that calls itself. OpenCL C has no recursion as a language,
// but clang accepts it and HSAIL has it.

// Sorts the elements from first up to and including last. Recursion goes into the smaller part only, so that it is at
// most log2(elements) deep; the larger part is left to the loop.
void quicksort(global uint* first, global uint* last) {
  while (first < last) {
    const uint pivot = first[(last - first) / 2];
    global uint* left = first;  // all before it is <= pivot
    global uint* right = last;  // all behind it is >= pivot
    while (left <= right) {
      while (*left < pivot) ++left;
      while (*right > pivot) --right;
      if (left > right) break;
      const uint swapped = *left;
      *left++ = *right;
      *right-- = swapped;
    }
    if (right - first < last - left) {
      quicksort(first, right);
      first = left;
    } else {
      quicksort(left, last);
      last = right;
    }
  }
}

// Grid: one work-item in x for each slice of the data. Any work-group size that divides the grid. length is at least 1.
kernel void sort_slices(global uint* data, uint length) {
  global uint* first = data + get_global_id(0) * (size_t)length;
  quicksort(first, first + length - 1);
}
