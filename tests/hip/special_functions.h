// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of special_functions.hip: functions of HIP that neither C nor OpenCL C has.
#pragma once

#include <hip/hip_runtime_api.h>

namespace heddle::hip_tests {

enum SpecialFunction : int {
  special_erfcx,
  special_erfinv,
  special_erfcinv,
  special_normcdf,
  special_normcdfinv,
  special_j0,
  special_j1,
  special_y0,
  special_y1,
  special_i0,
  special_i1,
  special_functions
};

/// Lengths of the vector (x, y, z, w), of its first elements, and 1 / length.
template <typename T>
struct Lengths {
  T rhypot, norm3d, norm4d, rnorm3d, rnorm4d;
};

}  // namespace heddle::hip_tests

extern "C" {
/// Applies a function to `count` numbers in memory of the device, and waits.
hipError_t run_special_float(int function, float* to, const float* x, int count);
hipError_t run_special_double(int function, double* to, const double* x, int count);
/// Computes the lengths of `count` vectors of four numbers.
hipError_t run_lengths_float(heddle::hip_tests::Lengths<float>* to, const float* vectors, int count);
hipError_t run_lengths_double(heddle::hip_tests::Lengths<double>* to, const double* vectors, int count);
}
