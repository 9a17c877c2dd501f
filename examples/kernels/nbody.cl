// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One time step of n bodies that attract each other. Shows a function in an inner loop, and vectors.

// Returns the pull of a body of this mass at a distance, divided by the distance:
// mass / (|d|^2 + softening)^(3/2). The softening keeps the pull of close bodies, and of a body on itself, finite.
float pull(float3 d, float mass, float softening) {
  const float square = fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, softening)));
  return mass / (square * sqrt(square));
}

// Grid: at least n work-items in x. Any work-group size. Positions are (x, y, z, mass), velocities (x, y, z, unused).
kernel void nbody_step(global float4* new_positions, global float4* new_velocities, global const float4* positions,
                       global const float4* velocities, uint n, float time_step, float softening) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float4 position = positions[i], velocity = velocities[i];
  float3 acceleration = 0;
  for (uint k = 0; k < n; ++k) {
    const float4 other = positions[k];
    const float3 d = other.xyz - position.xyz;
    acceleration = fma(d, (float3)pull(d, other.w, softening), acceleration);
  }
  velocity.xyz = fma(acceleration, (float3)time_step, velocity.xyz);
  position.xyz = fma(velocity.xyz, (float3)time_step, position.xyz);
  new_velocities[i] = velocity;
  new_positions[i] = position;
}
