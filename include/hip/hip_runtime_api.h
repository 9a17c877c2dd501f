/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The interface of HIP 5.2 for hosts, C and C++: types and constants. libamdhip64.so.5 exports the functions.
 */
#ifndef HIP_HIP_RUNTIME_API_H_
#define HIP_HIP_RUNTIME_API_H_

#include "runtime/devices.h"
#include "runtime/errors.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/streams.h"

#endif
