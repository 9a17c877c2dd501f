// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA twins of kernels in bench/kernels and examples/kernels: the same algorithm, the same order of
// arguments.
#include "kernels.cuh"

#include <cstring>

namespace {

__device__ unsigned id_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ unsigned id_y() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ unsigned id_z() { return blockIdx.z * blockDim.z + threadIdx.z; }

__global__ void empty() {}

__global__ void vector_add(float* out, const float* a, const float* b, unsigned n) {
  const unsigned i = id_x();
  if (i < n) out[i] = a[i] + b[i];
}

__global__ void triad(float* out, const float* b, const float* c, float factor, unsigned n) {
  const unsigned i = id_x();
  if (i < n) out[i] = fmaf(factor, c[i], b[i]);
}

__global__ void sgemm_naive(float* c, const float* a, const float* b, unsigned n) {
  const unsigned column = id_x(), row = id_y();
  if (column >= n || row >= n) return;
  float sum = 0;
  const float *left = a + static_cast<size_t>(row) * n, *right = b + column;
  for (unsigned k = 0; k < n; ++k, ++left, right += n) sum = fmaf(*left, *right, sum);
  c[row * n + column] = sum;
}

__global__ void matmul(float* c, const float* a, const float* b, unsigned n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y, column = id_x(), row = id_y();
  float sum = 0;
  for (unsigned tile = 0; tile < n / 16; ++tile) {
    tile_a[y][x] = a[row * n + tile * 16 + x];
    tile_b[y][x] = b[(tile * 16 + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void mandelbrot(unsigned* out, unsigned width, unsigned height, float left, float top, float step,
                           unsigned limit) {
  const unsigned x = id_x(), y = id_y();
  if (x >= width || y >= height) return;
  const float c_re = fmaf(static_cast<float>(x), step, left), c_im = fmaf(static_cast<float>(y), step, top);
  float re = 0, im = 0;
  unsigned steps = 0;
  for (; steps < limit; ++steps) {
    // Not contracted, because another rounding gives other numbers of steps at the border of the set.
    const float re2 = __fmul_rn(re, re), im2 = __fmul_rn(im, im);
    if (__fadd_rn(re2, im2) > 4.0f) break;
    im = fmaf(re + re, im, c_im);
    re = __fadd_rn(__fsub_rn(re2, im2), c_re);
  }
  out[y * width + x] = steps;
}

__device__ float pull(float dx, float dy, float dz, float mass, float softening) {
  const float square = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, softening)));
  return mass / (square * sqrtf(square));
}

__global__ void nbody_step(float4* new_positions, float4* new_velocities, const float4* positions,
                           const float4* velocities, unsigned n, float time_step, float softening) {
  const unsigned i = id_x();
  if (i >= n) return;
  float4 self = positions[i];
  float ax = 0, ay = 0, az = 0;
  for (unsigned j = 0; j < n; ++j) {
    const float4 other = positions[j];
    const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    const float strength = pull(dx, dy, dz, other.w, softening);
    ax = fmaf(dx, strength, ax);
    ay = fmaf(dy, strength, ay);
    az = fmaf(dz, strength, az);
  }
  float4 velocity = velocities[i];
  velocity.x = fmaf(ax, time_step, velocity.x);
  velocity.y = fmaf(ay, time_step, velocity.y);
  velocity.z = fmaf(az, time_step, velocity.z);
  new_velocities[i] = velocity;
  self.x = fmaf(velocity.x, time_step, self.x);
  self.y = fmaf(velocity.y, time_step, self.y);
  self.z = fmaf(velocity.z, time_step, self.z);
  new_positions[i] = self;
}

__global__ void reduce_sum(float* out, const float* in, unsigned n) {
  __shared__ float sums[256];
  float sum = 0;
  for (unsigned i = id_x(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
  const unsigned item = threadIdx.x;
  sums[item] = sum;
  for (unsigned distance = 128; distance >= 1; distance >>= 1) {
    __syncthreads();
    if (item < distance) sums[item] += sums[item + distance];
  }
  if (item == 0) out[blockIdx.x] = sums[0];
}

__global__ void histogram(unsigned* bins, const unsigned char* in, unsigned n) {
  __shared__ unsigned count[256];
  const unsigned item = threadIdx.x;
  count[item] = 0;
  __syncthreads();
  for (unsigned i = id_x(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[item], count[item]);
}

__global__ void transpose(float* out, const float* in, unsigned n) {
  __shared__ float tile[16][17];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[id_y() * n + id_x()];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y];
}

__global__ void stencil_3d(float* out, const float* in, unsigned width, unsigned height, unsigned depth,
                           float own, float other) {
  const unsigned x = id_x(), y = id_y(), z = id_z();
  if (x >= width - 2 || y >= height - 2 || z >= depth - 2) return;
  const ptrdiff_t row = width, layer = static_cast<ptrdiff_t>(width) * height;
  const unsigned i = ((z + 1) * height + y + 1) * width + x + 1;
  const float* here = in + i;
  const float sum = here[-1] + here[1] + (here[-row] + here[row]) + (here[-layer] + here[layer]);
  out[i] = fmaf(*here, own, sum * other);
}

__global__ void spmv(float* y, const unsigned* begin, const unsigned* columns, const float* values,
                     const float* x, unsigned rows) {
  const unsigned row = id_x();
  if (row >= rows) return;
  float sum = 0;
  for (unsigned i = begin[row], end = begin[row + 1]; i < end; ++i) sum = fmaf(values[i], x[columns[i]], sum);
  y[row] = sum;
}

/// The sum of the values of this lane and all lanes before it.
__device__ unsigned sum_up_to_lane(unsigned value) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(~0u, value, distance);
    if (threadIdx.x % 32 >= distance) value += other;
  }
  return value;
}

__global__ void scan_blocks(uint4* out, unsigned* sums, const uint4* in, unsigned n) {
  __shared__ unsigned sum[32];  // of each warp; those that do not exist are never used
  const unsigned item = threadIdx.x, i = id_x(), warp = item / 32;
  uint4 value = 4 * i < n ? in[i] : uint4{};
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  unsigned up_to_here = sum_up_to_lane(value.w);
  if (item % 32 == 31) sum[warp] = up_to_here;
  __syncthreads();
  if (warp == 0) {
    const unsigned own = sum[item];
    sum[item] = sum_up_to_lane(own) - own;
  }
  __syncthreads();
  up_to_here += sum[warp];
  const unsigned before = up_to_here - value.w;
  if (4 * i < n) out[i] = {value.x + before, value.y + before, value.z + before, value.w + before};
  if (item == 255) sums[blockIdx.x] = up_to_here;
}

__global__ void scan_add(uint4* out, const unsigned* sums, unsigned n) {
  const unsigned i = id_x();
  if (blockIdx.x == 0 || 4 * i >= n) return;
  const unsigned before = sums[blockIdx.x - 1];
  const uint4 value = out[i];
  out[i] = {value.x + before, value.y + before, value.z + before, value.w + before};
}

struct Row {
  const char* name;
  const void* kernel;
};

template <typename... T>
const void* address(void (*kernel)(T...)) {
  return reinterpret_cast<const void*>(kernel);
}

const Row rows[] = {
    {"vector_add", address(vector_add)},
    {"triad", address(triad)},
    {"sgemm_naive", address(sgemm_naive)},
    {"matmul", address(matmul)},
    {"mandelbrot", address(mandelbrot)},
    {"nbody_step", address(nbody_step)},
    {"reduce_sum", address(reduce_sum)},
    {"histogram", address(histogram)},
    {"transpose", address(transpose)},
    {"stencil_3d", address(stencil_3d)},
    {"spmv", address(spmv)},
    {"scan_blocks", address(scan_blocks)},
    {"scan_add", address(scan_add)},
};

}  // namespace

namespace bench {

const void* cuda_kernel(const char* name) {
  for (const Row& row : rows)
    if (std::strcmp(row.name, name) == 0) return row.kernel;
  return nullptr;
}

const void* empty_cuda_kernel() { return address(empty); }

}  // namespace bench
