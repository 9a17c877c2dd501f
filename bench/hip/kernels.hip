// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that main.cpp launches through HIP and through HSA.
#include <hip/hip_runtime.h>

extern "C" __global__ void empty() {}

extern "C" __global__ void vector_add(float* to, const float* a, const float* b, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = a[i] + b[i];
}

extern "C" __global__ void stencil(float* to, const float* from, const float*, unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1;
  if (x + 1 >= width || y + 1 >= width) return;
  const float* const center = from + y * width + x;
  to[y * width + x] = 0.2f * (center[0] + center[-1] + center[1] + *(center - width) + center[width]);
}

extern "C" __global__ void sgemm(float* c, const float* a, const float* b, unsigned n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

extern "C" __global__ void nbody(float* force, const float* position, const float* mass, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float own = position[i];
  float sum = 0;
  for (unsigned j = 0; j < count; ++j) {
    const float distance = position[j] - own;
    const float square = distance * distance + 0.01f;
    sum += mass[j] * distance / (square * sqrtf(square));
  }
  force[i] = sum;
}

extern "C" __global__ void reduction(float* sums, const float* from, const float*, unsigned count) {
  __shared__ float part[256];
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += from[i];
  part[threadIdx.x] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
