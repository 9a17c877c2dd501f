// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The group memory of the work-group functions, and of those for HIP. OpenCL C has no variables in group
// memory outside of kernels, therefore this part is in C.

typedef __attribute__((address_space(3))) unsigned long group_ulong;

static group_ulong __heddle_group_slots_memory[257] __attribute__((loader_uninitialized));

__attribute__((always_inline)) group_ulong* __heddle_group_slots(void) { return __heddle_group_slots_memory; }

typedef __attribute__((address_space(3))) unsigned group_uint;

static group_uint __heddle_live_words_memory[2] __attribute__((loader_uninitialized));

__attribute__((always_inline)) group_uint* __heddle_live_words(void) { return __heddle_live_words_memory; }
