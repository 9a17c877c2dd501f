// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read textures and write surfaces.
#include "textures.h"

// The interface of the host declares references, too.
texture<float, hipTextureType1D, hipReadModeElementType> linear_texture;
texture<unsigned char, hipTextureType2D, hipReadModeNormalizedFloat> array_texture;

#include <hip/hip_runtime.h>

namespace {

constexpr int group = 64;

__device__ int number() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void tex1d(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex1D<float>(t, at[i]);
}
__global__ void tex2d(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2D<float>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void tex3d(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex3D<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void tex1d_layered(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex1DLayered<float>(t, at[2 * i], int(at[2 * i + 1]));
}
__global__ void tex2d_layered(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2DLayered<float>(t, at[3 * i], at[3 * i + 1], int(at[3 * i + 2]));
}
__global__ void tex1d_level(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex1DLod<float>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void tex2d_level(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2DLod<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void tex3d_level(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex3DLod<float>(t, at[4 * i], at[4 * i + 1], at[4 * i + 2], at[4 * i + 3]);
}
__global__ void tex2d_layered_level(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) tex2DLayeredLod(to + i, t, at[4 * i], at[4 * i + 1], int(at[4 * i + 2]), at[4 * i + 3]);
}
__global__ void tex1d_gradients(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex1DGrad<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void tex2d_gradients(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  const float* p = at + 6 * i;
  if (i < count) to[i] = tex2DGrad<float>(t, p[0], p[1], float2(p[2], p[3]), float2(p[4], p[5]));
}
__global__ void cube(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void cubes_level(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  const float* p = at + 5 * i;
  if (i < count) to[i] = texCubemapLayeredLod<float>(t, p[0], p[1], p[2], int(p[3]), p[4]);
}
__global__ void cube_gradients(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  const float* p = at + 9 * i;
  if (i < count)
    to[i] = texCubemapGrad<float>(t, p[0], p[1], p[2], float4(p[3], p[4], p[5], 0), float4(p[6], p[7], p[8], 0));
}
__global__ void gather(float4* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2Dgather<float4>(t, at[3 * i], at[3 * i + 1], int(at[3 * i + 2]));
}
__global__ void tex2d_level_int(float* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = float(tex2DLod<int>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]));
}
__global__ void cube_surface(hipSurfaceObject_t s, int width) {
  const int x = number(), y = int(blockIdx.y), face = int(blockIdx.z);
  if (x >= width) return;
  int value = 0;
  surfCubemapread(&value, s, x * 4, y, face);
  surfCubemapwrite(value + 1000 * face, s, x * 4, y, face);
}
__global__ void tex2d_float4(float4* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2D<float4>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void tex2d_uchar4(uchar4* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2D<uchar4>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void tex2d_short2(short2* to, hipTextureObject_t t, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2D<short2>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void fetch_int(int* to, hipTextureObject_t t, int count) {
  const int i = number();
  if (i < count) to[i] = tex1Dfetch<int>(t, i);
}
__global__ void fetch_float(float* to, hipTextureObject_t t, int count) {
  const int i = number();
  if (i < count) to[i] = tex1Dfetch<float>(t, i);
}
__global__ void surface2d(hipSurfaceObject_t s, int width, int height) {
  const int x = number(), y = int(blockIdx.y);
  if (x >= width || y >= height) return;
  int value = 0;
  surf2Dread(&value, s, x * 4, y);
  surf2Dwrite(value + x + 10 * y, s, x * 4, y);
}
__global__ void surface3d(hipSurfaceObject_t s, int width, int height, int depth) {
  const int x = number(), y = int(blockIdx.y), z = int(blockIdx.z);
  if (x >= width || y >= height || z >= depth) return;
  int value = 0;
  surf3Dread(&value, s, x * 4, y, z);
  surf3Dwrite(value + x + 10 * y + 100 * z, s, x * 4, y, z);
}
__global__ void linear_read(float* to, int count) {
  const int i = number();
  if (i < count) to[i] = tex1Dfetch(linear_texture, i);
}
__global__ void array_read(float* to, const float* at, int count) {
  const int i = number();
  if (i < count) to[i] = tex2D(array_texture, at[2 * i], at[2 * i + 1]);
}

/// What every function below returns.
hipError_t finished() {
  const hipError_t launched = hipGetLastError();
  return launched != hipSuccess ? launched : hipDeviceSynchronize();
}

dim3 groups(int count) { return dim3(unsigned(count + group - 1) / group); }

}  // namespace

#define RUN(NAME, KERNEL, TYPE, CAST)                                                        \
  hipError_t NAME(TYPE* to, hipTextureObject_t texture, const float* at, int count) {        \
    KERNEL<<<groups(count), group>>>(CAST(to), texture, at, count);                          \
    return finished();                                                                       \
  }

extern "C" {
/// For hipModuleGetFunction, which wants a name.
__global__ void read_linear_texture(float* to, int count) {
  const int i = number();
  if (i < count) to[i] = tex1Dfetch(linear_texture, i);
}

RUN(run_tex1d, tex1d, float, )
RUN(run_tex2d, tex2d, float, )
RUN(run_tex3d, tex3d, float, )
RUN(run_tex1d_layered, tex1d_layered, float, )
RUN(run_tex2d_layered, tex2d_layered, float, )
RUN(run_tex1d_level, tex1d_level, float, )
RUN(run_tex2d_level, tex2d_level, float, )
RUN(run_tex3d_level, tex3d_level, float, )
RUN(run_tex2d_layered_level, tex2d_layered_level, float, )
RUN(run_tex1d_gradients, tex1d_gradients, float, )
RUN(run_tex2d_gradients, tex2d_gradients, float, )
RUN(run_cube, cube, float, )
RUN(run_cubes_level, cubes_level, float, )
RUN(run_cube_gradients, cube_gradients, float, )
RUN(run_gather, gather, float, reinterpret_cast<float4*>)
RUN(run_tex2d_level_int, tex2d_level_int, float, )
RUN(run_tex2d_float4, tex2d_float4, float, reinterpret_cast<float4*>)
RUN(run_tex2d_uchar4, tex2d_uchar4, unsigned char, reinterpret_cast<uchar4*>)
RUN(run_tex2d_short2, tex2d_short2, short, reinterpret_cast<short2*>)

hipError_t run_fetch_int(int* to, hipTextureObject_t texture, int count) {
  fetch_int<<<groups(count), group>>>(to, texture, count);
  return finished();
}
hipError_t run_fetch_float(float* to, hipTextureObject_t texture, int count) {
  fetch_float<<<groups(count), group>>>(to, texture, count);
  return finished();
}
hipError_t run_surface2d(hipSurfaceObject_t surface, int width, int height) {
  surface2d<<<dim3(groups(width).x, unsigned(height)), group>>>(surface, width, height);
  return finished();
}
hipError_t run_surface3d(hipSurfaceObject_t surface, int width, int height, int depth) {
  surface3d<<<dim3(groups(width).x, unsigned(height), unsigned(depth)), group>>>(surface, width, height, depth);
  return finished();
}
hipError_t run_cube_surface(hipSurfaceObject_t surface, int width) {
  cube_surface<<<dim3(groups(width).x, unsigned(width), 6), group>>>(surface, width);
  return finished();
}
hipError_t run_linear_reference(float* to, int count) {
  linear_read<<<groups(count), group>>>(to, count);
  return finished();
}
hipError_t run_array_reference(float* to, const float* at, int count) {
  array_read<<<groups(count), group>>>(to, at, count);
  return finished();
}
textureReference* linear_reference() { return &linear_texture; }
textureReference* array_reference() { return &array_texture; }
}
