/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What only kernels can call, beyond mathematical functions.
 */
#ifndef HIP_DEVICE_FUNCTIONS_H_
#define HIP_DEVICE_FUNCTIONS_H_

#include <hip/device/atomics.h>
#include <hip/device/conversions.h>
#include <hip/device/integers.h>
#include <hip/device/memory.h>
#include <hip/device/output.h>
#include <hip/device/synchronization.h>
#include <hip/device/texture_references.h>
#include <hip/device/textures.h>
#include <hip/device/warps.h>
#include <hip/device/work_items.h>

#endif /* HIP_DEVICE_FUNCTIONS_H_ */
