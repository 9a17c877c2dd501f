// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of waves.hip calculate. Each function starts one work-group of 64 work-items, waits for it and
// returns the result of the last call of HIP; all memory is that of the device.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>

constexpr int masked_results = 16, tile_results = 12, memory_results = 64;

extern "C" {
/// For each work-item `masked_results` numbers that functions with masks of lanes give.
hipError_t run_masked(int* to);
/// For each work-item `tile_results` numbers that tiles with named parents, parts and reductions give.
hipError_t run_tiles(int* to);
/// Each of `memory_results` bytes is what memcpy, memmove and memset leave of the bytes at `from`.
hipError_t run_memory(unsigned char* to, const unsigned char* from);
/// Asserts in a kernel that `value` is not 0, and in a function for host and device that it is positive.
hipError_t run_assertions(int* to, int value);
/// Prints and aborts if `value` is negative, and stores it otherwise.
hipError_t run_abort(int* to, int value);
/// Calls that function on the host. Returns the value.
int positive_on_host(int value);
}
