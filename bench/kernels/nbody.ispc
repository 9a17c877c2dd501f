// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of examples/kernels/nbody.hsail.
#include "parts.isph"

static inline float pull(float dx, float dy, float dz, uniform float mass, uniform float softening) {
  const float square = dz * dz + (dy * dy + (dx * dx + softening));
  return mass / (square * sqrt(square));
}

/// n is a multiple of programCount.
task void nbody_part(uniform float new_positions[], uniform float new_velocities[], uniform float positions[],
                     uniform float velocities[], uniform int n, uniform float time_step, uniform float softening) {
  for (uniform int i = part_begin(n, taskIndex, taskCount); i < part_begin(n, taskIndex + 1, taskCount); i += programCount) {
    float x, y, z, mass, vx, vy, vz, unused;
    aos_to_soa4(positions + 4 * i, &x, &y, &z, &mass);
    float ax = 0, ay = 0, az = 0;
    for (uniform int j = 0; j < n; ++j) {
      const float dx = positions[4 * j] - x, dy = positions[4 * j + 1] - y, dz = positions[4 * j + 2] - z;
      const float strength = pull(dx, dy, dz, positions[4 * j + 3], softening);
      ax = dx * strength + ax;
      ay = dy * strength + ay;
      az = dz * strength + az;
    }
    aos_to_soa4(velocities + 4 * i, &vx, &vy, &vz, &unused);
    vx = ax * time_step + vx;
    vy = ay * time_step + vy;
    vz = az * time_step + vz;
    soa_to_aos4(vx, vy, vz, unused, new_velocities + 4 * i);
    soa_to_aos4(vx * time_step + x, vy * time_step + y, vz * time_step + z, mass, new_positions + 4 * i);
  }
}

export void nbody_step(uniform float new_positions[], uniform float new_velocities[], uniform float positions[],
                       uniform float velocities[], uniform int n, uniform float time_step, uniform float softening) {
  launch[tasks] nbody_part(new_positions, new_velocities, positions, velocities, n, time_step, softening);
}
