// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of textures.hip. Each function starts one kernel, waits for it and returns the result of the
// last call of HIP. `to` and `at` are memory of the device; each work-item reads one place.
#pragma once

#include <hip/hip_runtime_api.h>

extern "C" {
/// Reads floats at `count` places, which have 1, 2 or 3 coordinates each.
hipError_t run_tex1d(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex3d(float* to, hipTextureObject_t texture, const float* at, int count);
/// The last coordinate is the number of the layer.
hipError_t run_tex1d_layered(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_layered(float* to, hipTextureObject_t texture, const float* at, int count);
/// Reads float textures by other functions. `at` has the coordinates, and behind them a level of detail, two
/// gradients (each with the coordinates' number of floats), or a channel.
hipError_t run_tex1d_level(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_level(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex3d_level(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_layered_level(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex1d_gradients(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_gradients(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_cube(float* to, hipTextureObject_t texture, const float* at, int count);
/// The fourth coordinate is the number of the cube, the fifth the level.
hipError_t run_cubes_level(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_cube_gradients(float* to, hipTextureObject_t texture, const float* at, int count);
/// Gives four floats for each place.
hipError_t run_gather(float* to, hipTextureObject_t texture, const float* at, int count);
/// Reads integers at places with 2 coordinates and a level.
hipError_t run_tex2d_level_int(float* to, hipTextureObject_t texture, const float* at, int count);
/// Reads four floats, four bytes or two short integers at places with 2 coordinates.
hipError_t run_tex2d_float4(float* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_uchar4(unsigned char* to, hipTextureObject_t texture, const float* at, int count);
hipError_t run_tex2d_short2(short* to, hipTextureObject_t texture, const float* at, int count);
/// Reads the elements 0 to count - 1 of linear memory.
hipError_t run_fetch_int(int* to, hipTextureObject_t texture, int count);
hipError_t run_fetch_float(float* to, hipTextureObject_t texture, int count);
/// Adds x + 10 * y (+ 100 * z) to each element of a surface of integers.
hipError_t run_surface2d(hipSurfaceObject_t surface, int width, int height);
hipError_t run_surface3d(hipSurfaceObject_t surface, int width, int height, int depth);
/// Adds 1000 * face to each element of a surface of integers that is a cube.
hipError_t run_cube_surface(hipSurfaceObject_t surface, int width);
/// Reads through texture references: `linear_reference`, `array_reference`.
hipError_t run_linear_reference(float* to, int count);
hipError_t run_array_reference(float* to, const float* at, int count);

/// References: texture<float, 1>, texture<unsigned char, 2, hipReadModeNormalizedFloat>.
textureReference* linear_reference();
textureReference* array_reference();
}
