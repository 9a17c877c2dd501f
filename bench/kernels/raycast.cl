// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL C twin of raycast.hsail.
#pragma OPENCL FP_CONTRACT OFF

kernel void raycast(global uint *out, global const uchar *voxels, uint size, uint width, uint height, float eye,
                    float left, float top, float pitch) {
  uint column = get_global_id(0), row = get_global_id(1);
  if (column >= width || row >= height) return;
  float direction_x = fma((float)column, pitch, left), direction_y = fma((float)row, pitch, top);
  int x = (int)eye, y = x, z = x;
  float before = eye - (float)x, behind = 1.0f - before;
  int step_x = direction_x < 0 ? -1 : 1, step_y = direction_y < 0 ? -1 : 1;
  float apart_x = 1.0f / fabs(direction_x), apart_y = 1.0f / fabs(direction_y);
  float next_x = (direction_x < 0 ? before : behind) * apart_x;
  float next_y = (direction_y < 0 ? before : behind) * apart_y;
  float next_z = behind;
  uint steps = 0, value = 0;
  do {
    bool in_x = next_x <= fmin(next_y, next_z), in_y = !in_x && next_y <= next_z, in_z = !(in_x || in_y);
    x += in_x ? step_x : 0;
    next_x += in_x ? apart_x : 0.0f;
    y += in_y ? step_y : 0;
    next_y += in_y ? apart_y : 0.0f;
    z += in_z ? 1 : 0;
    next_z += in_z ? 1.0f : 0.0f;
    ++steps;
    if (max(max((uint)x, (uint)y), (uint)z) >= size) break;
    value = voxels[((uint)z * size + y) * size + x];
  } while (value == 0);
  out[row * width + column] = steps * 256 + value;
}
