// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the examples in HIP share.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Ends the program with a message if a call fails.
inline void check(hipError_t result, const char* call) {
  if (result == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, hipGetErrorString(result));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

/// Prints one line about a result, and returns the exit code of the program.
inline int report(const char* example, const char* problem, bool right) {
  int device = 0;
  hipDeviceProp_t properties;
  CHECK(hipGetDevice(&device));
  CHECK(hipGetDeviceProperties(&properties, device));
  std::printf("%s (HIP), %s, %s: %s\n", example, problem, properties.name, right ? "OK" : "wrong");
  return right ? 0 : 1;
}
