// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels and variables of kernels.hip, as host code that no HIP compiler has compiled names them.
#pragma once

#include <cstddef>

/// A structure that is passed by value.
struct Scale {
  int factor;
  double offset;
  char tag[3];
};

/// More than a queue has room for beside each packet.
struct ManyNumbers {
  int values[1024];
};

extern "C" {
/// The addresses by which host code names kernels: (float* to, const float* from, int count, Scale)
extern const void* const scale_kernel;
/// (int* to, int count): reverses up to 256 numbers in dynamic group memory.
extern const void* const reverse_kernel;
/// (unsigned long long* counter, unsigned rounds): each work-item adds 1 so many times.
extern const void* const count_kernel;
/// (int* to): writes the work-items' linear ids in three dimensions.
extern const void* const ids_kernel;
/// (): nothing.
extern const void* const empty_kernel;
/// (volatile int* flag): waits until the flag is not 0.
extern const void* const wait_kernel;
/// (int* to, int value): appends the value at to[1 + to[0]], and adds 1 to to[0].
extern const void* const append_kernel;
/// (int* to, ManyNumbers): adds all the numbers to to[0].
extern const void* const many_numbers_kernel;
/// (int* address): writes there, wherever it is.
extern const void* const write_kernel;
/// (int number): prints it.
extern const void* const print_kernel;
/// (int* to): copies `table` and `managed_number` there, and adds 1 to both.
extern const void* const variables_kernel;
/// (int* to, const int* rounds): each work-item of up to 256 in a group goes through as many rounds as its
/// element says, with barriers, and returns, in some cases before the first one. For each work-item with
/// rounds, `to` gets two sums: of the work-items that the group has counted in all rounds so far, and of the
/// lanes that were active.
extern const void* const early_return_kernel;
/// Declared with __launch_bounds__(64).
extern const void* const bounded_kernel;

/// Symbols: int table[4], a constant float, and a managed int.
extern const void* const table_symbol;
extern const void* const factor_symbol;
int* managed_number_address();
}
