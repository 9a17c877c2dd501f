/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Launches with events (hipExtLaunchKernelGGL, hipExtModuleLaunchKernel), under the name that programs
 * include.
 */
#ifndef HIP_EXT_H_
#define HIP_EXT_H_

#include <hip/hip_runtime.h>

#endif /* HIP_EXT_H_ */
