// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of raycast.hsail.
#include "parts.isph"

static inline unsigned int32 cast(const uniform unsigned int8 voxels[], uniform int size, uniform float eye,
                                  float direction_x, float direction_y) {
  const uniform int start = (uniform int)eye;
  int x = start, y = start, z = start;
  const uniform float before = eye - (uniform float)start;
  const uniform float behind = 1.0f - before;
  const int step_x = direction_x < 0 ? -1 : 1, step_y = direction_y < 0 ? -1 : 1;
  const float apart_x = 1.0f / abs(direction_x), apart_y = 1.0f / abs(direction_y);
  float next_x = (direction_x < 0 ? before : behind) * apart_x;
  float next_y = (direction_y < 0 ? before : behind) * apart_y;
  float next_z = behind;
  int steps = 0, value = 0;
  do {
    const bool in_x = next_x <= min(next_y, next_z);
    const bool in_y = !in_x && next_y <= next_z;
    const bool in_z = !(in_x || in_y);
    x += in_x ? step_x : 0;
    next_x += in_x ? apart_x : 0.0f;
    y += in_y ? step_y : 0;
    next_y += in_y ? apart_y : 0.0f;
    z += in_z ? 1 : 0;
    next_z += in_z ? 1.0f : 0.0f;
    ++steps;
    if (max(max((unsigned int32)x, (unsigned int32)y), (unsigned int32)z) >= size) break;
    value = voxels[(z * size + y) * size + x];
  } while (value == 0);
  return steps * 256 + value;
}

task void raycast_part(uniform unsigned int32 out[], const uniform unsigned int8 voxels[], uniform int size,
                       uniform int width, uniform int height, uniform float eye, uniform float left, uniform float top,
                       uniform float pitch) {
  for (uniform int y = row_begin(height, taskIndex, taskCount); y < row_begin(height, taskIndex + 1, taskCount); ++y) {
    foreach (x = 0 ... width) {
      out[y * width + x] = cast(voxels, size, eye, (float)x * pitch + left, (uniform float)y * pitch + top);
    }
  }
}

export void raycast(uniform unsigned int32 out[], const uniform unsigned int8 voxels[], uniform int size,
                    uniform int width, uniform int height, uniform float eye, uniform float left, uniform float top,
                    uniform float pitch) {
  launch[tasks] raycast_part(out, voxels, size, width, height, eye, left, top, pitch);
}
