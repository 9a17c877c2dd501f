/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The functions of HIP for hosts, in C and C++, with their types. libamdhip64.so.5 has them.
 */
#ifndef HIP_RUNTIME_API_H_
#define HIP_RUNTIME_API_H_

#include <hip/functions/arrays.h>
#include <hip/functions/devices.h>
#include <hip/functions/graphs.h>
#include <hip/functions/interoperation.h>
#include <hip/functions/memory.h>
#include <hip/functions/modules.h>
#include <hip/functions/pools.h>
#include <hip/functions/streams.h>
#include <hip/functions/templates.h>
#include <hip/functions/textures.h>
#include <hip/functions/virtual_memory.h>
#include <hip/hip_common.h>
#include <hip/hip_version.h>
#include <hip/runtime/textures.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#endif /* HIP_RUNTIME_API_H_ */
