/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What kernels print. The host writes it to standard output, or for failed assertions to standard error, when
 * a dispatch has ended.
 */
#ifndef HIP_DEVICE_OUTPUT_H_
#define HIP_DEVICE_OUTPUT_H_

#include <hip/host_defines.h>

#if defined(__HIP__) && defined(__cplusplus)

extern "C" __device__ int printf(const char* format, ...);

#if defined(__HIP_DEVICE_COMPILE__)
/* What assert() calls: says what was expected and where, and ends the kernel with an error of its queue. The
 * device library defines it. */
extern "C" __device__ __attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file,
                                                                   unsigned line, const char* function);
#endif

#endif
#endif /* HIP_DEVICE_OUTPUT_H_ */
