// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_kernel_clock. HSAIL has one clock, that of the system (PRM 11.4), which serves all scopes.

#define CLOCK(SCOPE) \
  OVERLOAD ulong clock_read_##SCOPE(void) { return __hsail_clock_u64(); } \
  OVERLOAD uint2 clock_read_hilo_##SCOPE(void) { return as_uint2(__hsail_clock_u64()); }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
