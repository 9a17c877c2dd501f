// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of examples/kernels in OpenCL C, with the same work-items, work-groups and operations. fma is
// written where the HSAIL has fma, and nothing else may be contracted. There is no quicksort, because OpenCL
// C forbids recursion.
#pragma OPENCL FP_CONTRACT OFF

kernel void vector_add(global float *out, global const float *a, global const float *b, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = a[i] + b[i];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(global float *c, global const float *a, global const float *b, uint n) {
  local float tile_a[16][16], tile_b[16][16];
  uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint tile = 0; tile < n / 16; ++tile) {
    tile_a[y][x] = a[row * n + tile * 16 + x];
    tile_b[y][x] = b[(tile * 16 + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum = fma(tile_a[y][k], tile_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

kernel void mandelbrot(global uint *out, uint width, uint height, float left, float top, float step, uint limit) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float c_re = fma((float)x, step, left), c_im = fma((float)y, step, top);
  float re = 0, im = 0;
  uint steps = 0;
  for (; steps < limit; ++steps) {
    float re2 = re * re, im2 = im * im;
    if (re2 + im2 > 4.0f) break;
    im = fma(re + re, im, c_im);
    re = re2 - im2 + c_re;
  }
  out[y * width + x] = steps;
}

kernel void blur_rows(global float4 *out, global const uchar4 *in, global const float *weights, int radius, int width,
                      int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    sum = fma(convert_float4(in[y * width + clamp(x + k, 0, width - 1)]), (float4)weights[radius + k], sum);
  }
  out[y * width + x] = sum;
}

kernel void blur_columns(global uchar4 *out, global const float4 *in, global const float *weights, int radius, int width,
                         int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    sum = fma(in[clamp(y + k, 0, height - 1) * width + x], (float4)weights[radius + k], sum);
  }
  out[y * width + x] = convert_uchar4_sat_rte(sum);
}

int brightness(global const uchar4 *picture, int x, int y, int width, int height) {
  uchar4 pixel = picture[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
  return (pixel.x * 77 + pixel.y * 150 + pixel.z * 29) >> 8;
}

kernel void sobel(global uchar *out, global const uchar4 *in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  int gradient_x = 0, gradient_y = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int luma = brightness(in, x + dx, y + dy, width, height);
      gradient_x += dx * (2 - (int)abs(dy)) * luma;
      gradient_y += dy * (2 - (int)abs(dx)) * luma;
    }
  }
  out[y * width + x] = convert_uchar_sat_rte(sqrt((float)(gradient_x * gradient_x + gradient_y * gradient_y)));
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global uint *bins, global const uchar *in, uint n) {
  local uint count[256];
  uint item = get_local_id(0);
  count[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&count[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[item], count[item]);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce_sum(global float *out, global const float *in, uint n) {
  local float sums[256];
  float sum = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  uint item = get_local_id(0);
  sums[item] = sum;
  for (uint distance = 128; distance >= 1; distance >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < distance) sums[item] += sums[item + distance];
  }
  if (item == 0) out[get_group_id(0)] = sums[0];
}

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
