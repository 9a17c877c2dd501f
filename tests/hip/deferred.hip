// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of many kernels with common variables, as programs with templates have them.
#include <hip/hip_runtime.h>

#include <array>
#include <utility>

#include "deferred.h"

__device__ int steps_total;

namespace {

__device__ __noinline__ int next_step() {
  static int steps = 0;
  return atomicAdd(&steps, 1);
}

template <int which>
__global__ void step(int* to) {
  atomicAdd(&steps_total, which);
  *to = next_step();
}

template <int... which>
std::array<const void*, sizeof...(which)> kernels_of(std::integer_sequence<int, which...>) {
  return {reinterpret_cast<const void*>(&step<which>)...};
}

}  // namespace

const void* step_kernel(int which) {
  static const auto kernels = kernels_of(std::make_integer_sequence<int, step_count>());
  return kernels.at(which);
}

hipError_t run_step(int which, int* to, hipStream_t stream) {
  void* arguments[] = {&to};
  return hipLaunchKernel(step_kernel(which), dim3(1), dim3(1), arguments, 0, stream);
}

#ifndef __HIP_DEVICE_COMPILE__
const void* const steps_total_symbol = &steps_total;
#endif
