/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Mathematical functions of kernels: those of <cmath>, and HIP's own such as rsqrtf(), __expf() and min() of
 * numbers of two types. The headers that clang includes by itself when it compiles HIP declare all of them;
 * this header exists because programs include it.
 */
#ifndef HIP_MATH_FUNCTIONS_H_
#define HIP_MATH_FUNCTIONS_H_

#include <hip/host_defines.h>

#endif /* HIP_MATH_FUNCTIONS_H_ */
