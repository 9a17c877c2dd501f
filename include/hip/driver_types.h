/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Types of memory, arrays and textures, for programs that include them by this name.
 */
#ifndef HIP_DRIVER_TYPES_H_
#define HIP_DRIVER_TYPES_H_

#include <hip/runtime/memory.h>
#include <hip/runtime/modules.h>
#include <hip/runtime/textures.h>

#endif /* HIP_DRIVER_TYPES_H_ */
