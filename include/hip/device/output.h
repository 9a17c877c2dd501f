/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What kernels print, and which assertions failed. The host writes it to standard output when a dispatch has
 * ended.
 */
#ifndef HIP_DEVICE_OUTPUT_H_
#define HIP_DEVICE_OUTPUT_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

extern "C" __device__ int printf(const char* format, ...);

/* What assert() calls in kernels: says what was expected and where, and ends the kernel with an error of its
 * queue. The device library defines it. The host's half has to see it too, because clang checks kernels there
 * as well. */
extern "C" __device__ __attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file,
                                                                   unsigned line, const char* function);

#endif
#endif /* HIP_DEVICE_OUTPUT_H_ */
