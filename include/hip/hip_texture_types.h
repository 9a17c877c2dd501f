/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The older name of texture_types.h.
 */
#ifndef HIP_HIP_TEXTURE_TYPES_H_
#define HIP_HIP_TEXTURE_TYPES_H_

#include <hip/texture_types.h>

#endif /* HIP_HIP_TEXTURE_TYPES_H_ */
