// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of deferred.hip and function_pointers.hip, which are finalized when they are first launched.
#pragma once

#include <hip/hip_runtime_api.h>

extern "C" {
/// How many kernels `run_step` chooses from.
constexpr int step_count = 48;
/// Starts kernel number `which` with one work-item, in the stream. It adds its number to `steps_total`, adds
/// 1 to a static variable of a function that all kernels call, and writes the latter's old value to `to`.
hipError_t run_step(int which, int* to, hipStream_t stream);
/// The address by which the host names kernel number `which`.
const void* step_kernel(int which);
/// Symbol: int.
extern const void* const steps_total_symbol;

/// `to` gets 4 numbers: what the function of number `which` in a table of device memory makes of 7; whether
/// its address is the one that this kernel's own code has; the same for what another kernel stored.
hipError_t run_function_pointers(int which, long* to);
/// Symbol: a pointer to a function that one kernel stores and others call.
extern const void* const stored_function_symbol;
}
