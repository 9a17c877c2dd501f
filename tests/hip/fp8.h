// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of fp8.hip convert; all memory is that of the device. The functions return the result of the
// last call of HIP.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>

extern "C" {
/// For each of `count` doubles the bits in the four formats, without saturation and then with it.
hipError_t run_to_fp8(uint8_t* to, const double* from, int count);
/// The values of all 256 numbers of the four formats as floats.
hipError_t run_from_fp8(float* to);
/// Four floats of a quadruple that two pairs of bfloat16 make, then two of a pair of halves.
hipError_t run_fp8_vectors(float* to);
}
