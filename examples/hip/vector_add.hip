// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds two vectors: memory, copies, one kernel.
#include <vector>

#include "check.h"

__global__ void vector_add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

int main() {
  constexpr int count = 1000000;
  constexpr size_t size = count * sizeof(float);
  std::vector<float> a(count), b(count), sum(count);
  for (int i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5F * static_cast<float>(i % 1000);
  }
  float *device_a = nullptr, *device_b = nullptr, *device_sum = nullptr;
  CHECK(hipMalloc(&device_a, size));
  CHECK(hipMalloc(&device_b, size));
  CHECK(hipMalloc(&device_sum, size));
  CHECK(hipMemcpy(device_a, a.data(), size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(device_b, b.data(), size, hipMemcpyHostToDevice));
  constexpr int group = 256;
  vector_add<<<(count + group - 1) / group, group>>>(device_a, device_b, device_sum, count);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(sum.data(), device_sum, size, hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < count; ++i) right = right && sum[i] == a[i] + b[i];
  for (float* memory : {device_a, device_b, device_sum}) CHECK(hipFree(memory));
  return report("vector add", "1000000 elements", right);
}
