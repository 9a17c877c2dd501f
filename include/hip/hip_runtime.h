/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Everything that HIP programs use: the functions of the host (hip_runtime_api.h), and the language of
 * kernels.
 */
#ifndef HIP_RUNTIME_H_
#define HIP_RUNTIME_H_

#include <hip/hip_common.h>
#include <hip/hip_version.h>
#include <hip/host_defines.h>

#if !defined(__HIPCC_RTC__)
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <algorithm>
#include <cmath>
#include <cstring>
#if __cplusplus >= 201103L
#include <thread>
#endif
#endif
#endif

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>

#include <hip/channel_descriptor.h>
#include <hip/device_functions.h>
#include <hip/functions/texture_templates.h>
#include <hip/library_types.h>
#include <hip/math_functions.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#endif /* HIP_RUNTIME_H_ */
