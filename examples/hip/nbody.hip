// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that attract each other, on all devices at once: each device moves its share of the bodies, and after a
// step all of them get the new positions.
#include <cmath>
#include <string>
#include <vector>

#include "check.h"

constexpr int bodies = 768;
constexpr int steps = 3;
constexpr float step = 0.01F;

__host__ __device__ float4 moved(const float4* positions, float4 velocity, int body, float4* new_velocity) {
  const float4 own = positions[body];
  float4 force = make_float4(0, 0, 0, 0);
  for (int other = 0; other < bodies; ++other) {
    const float x = positions[other].x - own.x;
    const float y = positions[other].y - own.y;
    const float z = positions[other].z - own.z;
    const float square = x * x + y * y + z * z + 0.01F;
    const float factor = positions[other].w / (square * sqrtf(square));
    force.x += factor * x;
    force.y += factor * y;
    force.z += factor * z;
  }
  *new_velocity = make_float4(velocity.x + step * force.x, velocity.y + step * force.y, velocity.z + step * force.z, 0);
  return make_float4(own.x + step * new_velocity->x, own.y + step * new_velocity->y, own.z + step * new_velocity->z,
                     own.w);
}

__global__ void advance(const float4* positions, float4* velocities, float4* new_positions, int first, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) new_positions[i] = moved(positions, velocities[i], first + i, &velocities[i]);
}

/// What a device has: all positions, and velocities and new positions of its share.
struct Share {
  int first, count;
  float4 *positions, *velocities, *new_positions;
};

std::vector<Share> shares(int devices) {
  std::vector<Share> all(devices);
  for (int device = 0; device < devices; ++device) {
    Share& share = all[device];
    share.first = bodies * device / devices;
    share.count = bodies * (device + 1) / devices - share.first;
    CHECK(hipSetDevice(device));
    CHECK(hipMalloc(&share.positions, bodies * sizeof(float4)));
    CHECK(hipMalloc(&share.velocities, share.count * sizeof(float4)));
    CHECK(hipMalloc(&share.new_positions, share.count * sizeof(float4)));
    CHECK(hipMemset(share.velocities, 0, share.count * sizeof(float4)));
  }
  return all;
}

void simulate(std::vector<float4>& positions, const std::vector<Share>& all) {
  for (int i = 0; i < steps; ++i) {
    for (size_t device = 0; device < all.size(); ++device) {  // these only start the work
      const Share& share = all[device];
      CHECK(hipSetDevice(static_cast<int>(device)));
      CHECK(hipMemcpy(share.positions, positions.data(), bodies * sizeof(float4), hipMemcpyHostToDevice));
      advance<<<(share.count + 63) / 64, 64>>>(share.positions, share.velocities, share.new_positions, share.first,
                                               share.count);
    }
    for (size_t device = 0; device < all.size(); ++device) {
      const Share& share = all[device];
      CHECK(hipSetDevice(static_cast<int>(device)));
      CHECK(hipMemcpy(&positions[share.first], share.new_positions, share.count * sizeof(float4),
                      hipMemcpyDeviceToHost));
    }
  }
}

int main() {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices));
  std::vector<float4> positions(bodies);
  for (int i = 0; i < bodies; ++i)
    positions[i] = make_float4(sinf(0.1F * i), cosf(0.23F * i), sinf(0.37F * i + 1), 1.0F / bodies);
  std::vector<float4> expected = positions, next = positions, velocities(bodies);
  for (int i = 0; i < steps; ++i, expected = next)
    for (int body = 0; body < bodies; ++body)
      next[body] = moved(expected.data(), velocities[body], body, &velocities[body]);
  const std::vector<Share> all = shares(devices);
  simulate(positions, all);
  bool right = true;
  for (int i = 0; i < bodies; ++i)
    right = right && std::fabs(positions[i].x - expected[i].x) < 1e-4F &&
            std::fabs(positions[i].z - expected[i].z) < 1e-4F;
  for (const Share& share : all)
    for (float4* memory : {share.positions, share.velocities, share.new_positions}) CHECK(hipFree(memory));
  CHECK(hipSetDevice(0));
  const std::string problem = std::to_string(bodies) + " bodies, devices: " + std::to_string(devices);
  return report("n-body", problem.c_str(), right);
}
