/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Types of surfaces, which runtime/textures.h declares beside those of textures.
 */
#ifndef HIP_SURFACE_TYPES_H_
#define HIP_SURFACE_TYPES_H_

#include <hip/runtime/textures.h>

#endif /* HIP_SURFACE_TYPES_H_ */
