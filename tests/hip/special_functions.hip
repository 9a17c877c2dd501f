// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of HIP that neither C nor OpenCL C has, one kernel for each precision.
#include "special_functions.h"

#include <hip/hip_runtime.h>

using namespace heddle::hip_tests;

namespace {

__device__ float apply(int function, float x) {
  switch (function) {
    case special_erfcx:
      return erfcxf(x);
    case special_erfinv:
      return erfinvf(x);
    case special_erfcinv:
      return erfcinvf(x);
    case special_normcdf:
      return normcdff(x);
    case special_normcdfinv:
      return normcdfinvf(x);
    case special_j0:
      return j0f(x);
    case special_j1:
      return j1f(x);
    case special_y0:
      return y0f(x);
    case special_y1:
      return y1f(x);
    case special_i0:
      return cyl_bessel_i0f(x);
    default:
      return cyl_bessel_i1f(x);
  }
}

__device__ double apply(int function, double x) {
  switch (function) {
    case special_erfcx:
      return erfcx(x);
    case special_erfinv:
      return erfinv(x);
    case special_erfcinv:
      return erfcinv(x);
    case special_normcdf:
      return normcdf(x);
    case special_normcdfinv:
      return normcdfinv(x);
    case special_j0:
      return j0(x);
    case special_j1:
      return j1(x);
    case special_y0:
      return y0(x);
    case special_y1:
      return y1(x);
    case special_i0:
      return cyl_bessel_i0(x);
    default:
      return cyl_bessel_i1(x);
  }
}

__device__ Lengths<float> lengths_of(const float* v) {
  return {rhypotf(v[0], v[1]), norm3df(v[0], v[1], v[2]), norm4df(v[0], v[1], v[2], v[3]), rnorm3df(v[0], v[1], v[2]),
          rnorm4df(v[0], v[1], v[2], v[3])};
}
__device__ Lengths<double> lengths_of(const double* v) {
  return {rhypot(v[0], v[1]), norm3d(v[0], v[1], v[2]), norm4d(v[0], v[1], v[2], v[3]), rnorm3d(v[0], v[1], v[2]),
          rnorm4d(v[0], v[1], v[2], v[3])};
}

template <typename T>
__global__ void lengths(Lengths<T>* to, const T* vectors, int count) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = lengths_of(vectors + 4 * i);
}

template <typename T>
__global__ void special(int function, T* to, const T* x, int count) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = apply(function, x[i]);
}

hipError_t wait() {
  const hipError_t launched = hipGetLastError();
  return launched != hipSuccess ? launched : hipDeviceSynchronize();
}

template <typename T>
hipError_t run_lengths(Lengths<T>* to, const T* vectors, int count) {
  lengths<<<dim3(unsigned(count + 63) / 64), 64>>>(to, vectors, count);
  return wait();
}

template <typename T>
hipError_t run(int function, T* to, const T* x, int count) {
  special<<<dim3(unsigned(count + 63) / 64), 64>>>(function, to, x, count);
  return wait();
}

}  // namespace

extern "C" {
hipError_t run_special_float(int function, float* to, const float* x, int count) { return run(function, to, x, count); }
hipError_t run_special_double(int function, double* to, const double* x, int count) {
  return run(function, to, x, count);
}
hipError_t run_lengths_float(Lengths<float>* to, const float* vectors, int count) {
  return run_lengths(to, vectors, count);
}
hipError_t run_lengths_double(Lengths<double>* to, const double* vectors, int count) {
  return run_lengths(to, vectors, count);
}
}
