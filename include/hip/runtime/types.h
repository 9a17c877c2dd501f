/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * All types and constants of HIP, without its functions.
 */
#ifndef HIP_RUNTIME_TYPES_H_
#define HIP_RUNTIME_TYPES_H_

#include <hip/runtime/compilation.h>
#include <hip/runtime/devices.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/graphs.h>
#include <hip/runtime/interoperation.h>
#include <hip/runtime/memory.h>
#include <hip/runtime/modules.h>
#include <hip/runtime/pools.h>
#include <hip/runtime/streams.h>
#include <hip/runtime/textures.h>
#include <hip/runtime/virtual_memory.h>

#endif /* HIP_RUNTIME_TYPES_H_ */
