// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of examples/kernels/nbody.hsail.
#pragma OPENCL FP_CONTRACT OFF

float pull(float dx, float dy, float dz, float mass, float softening) {
  float square = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening)));
  return mass / (square * sqrt(square));
}

kernel void nbody_step(global float4 *new_positions, global float4 *new_velocities, global const float4 *positions,
                       global const float4 *velocities, uint n, float time_step, float softening) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float4 self = positions[i];
  float ax = 0, ay = 0, az = 0;
  for (uint j = 0; j < n; ++j) {
    float4 other = positions[j];
    float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    float strength = pull(dx, dy, dz, other.w, softening);
    ax = fma(dx, strength, ax);
    ay = fma(dy, strength, ay);
    az = fma(dz, strength, az);
  }
  float4 velocity = velocities[i];
  velocity.x = fma(ax, time_step, velocity.x);
  velocity.y = fma(ay, time_step, velocity.y);
  velocity.z = fma(az, time_step, velocity.z);
  new_velocities[i] = velocity;
  self.x = fma(velocity.x, time_step, self.x);
  self.y = fma(velocity.y, time_step, self.y);
  self.z = fma(velocity.z, time_step, self.z);
  new_positions[i] = self;
}
