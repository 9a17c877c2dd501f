// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call functions by addresses in variables.
#include <hip/hip_runtime.h>

#include "deferred.h"

using Function = int (*)(int);

namespace {
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
}  // namespace

__device__ Function function_table[2] = {twice, square};
__device__ Function stored_function;

namespace {

__global__ void store(int which) { stored_function = which == 0 ? twice : square; }

__global__ void call(int which, long* to) {
  const Function own = which == 0 ? twice : square;
  to[0] = function_table[which](7);
  to[1] = function_table[which] == own;
  to[2] = stored_function(7);
  to[3] = stored_function == own;
}

}  // namespace

hipError_t run_function_pointers(int which, long* to) {
  store<<<1, 1>>>(which);
  call<<<1, 1>>>(which, to);
  const hipError_t failed = hipGetLastError();
  return failed != hipSuccess ? failed : hipDeviceSynchronize();
}

#ifndef __HIP_DEVICE_COMPILE__
const void* const stored_function_symbol = &stored_function;
#endif
