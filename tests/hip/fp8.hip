// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that convert numbers of 8 bits.
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

#include "fp8.h"

static_assert(sizeof(__hip_fp8_e4m3) == 1 && sizeof(__hip_fp8x2_e5m2) == 2 && sizeof(__hip_fp8x4_e4m3_fnuz) == 4, "");

// Programs that do not rely on this function of HIP define it themselves.
__device__ inline __hip_bfloat162 __float2bfloat162_rn(const float x) { return __hip_bfloat162(x, x + 1); }

namespace {

__global__ void to_fp8(uint8_t* to, const double* from, int count) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  for (int format = 0; format < 4; ++format) {
    const auto interpretation = __hip_fp8_interpretation_t(format);
    to[8 * i + format] = __hip_cvt_double_to_fp8(from[i], __HIP_NOSAT, interpretation);
    to[8 * i + 4 + format] = __hip_cvt_double_to_fp8(from[i], __HIP_SATFINITE, interpretation);
  }
}

template <typename T>
__device__ float value_of(int bits) {
  T x;
  x.__x = __hip_fp8_storage_t(bits);
  return x;
}
__global__ void from_fp8(float* to) {
  const int i = int(threadIdx.x);
  to[i] = value_of<__hip_fp8_e4m3>(i);
  to[256 + i] = value_of<__hip_fp8_e5m2>(i);
  to[512 + i] = value_of<__hip_fp8_e4m3_fnuz>(i);
  to[768 + i] = value_of<__hip_fp8_e5m2_fnuz>(i);
}

__global__ void fp8_vectors(float* to) {
  const float4 four = __hip_fp8x4_e4m3_fnuz(__float2bfloat162_rn(1.0f), __hip_bfloat162(300.0f, 0.001953125f));
  const float2 two = __hip_fp8x2_e5m2(__half2(__half(0.25f), __half(-65504.0f)));
  const float values[6] = {four.x, four.y, four.z, four.w, two.x, two.y};
  for (int i = 0; i < 6; ++i) to[i] = values[i];
}

hipError_t finished() {
  const hipError_t started = hipGetLastError();
  return started == hipSuccess ? hipDeviceSynchronize() : started;
}

}  // namespace

extern "C" {
hipError_t run_to_fp8(uint8_t* to, const double* from, int count) {
  to_fp8<<<(count + 63) / 64, 64>>>(to, from, count);
  return finished();
}
hipError_t run_from_fp8(float* to) {
  from_fp8<<<1, 256>>>(to);
  return finished();
}
hipError_t run_fp8_vectors(float* to) {
  fp8_vectors<<<1, 1>>>(to);
  return finished();
}
}
