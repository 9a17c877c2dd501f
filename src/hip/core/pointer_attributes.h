// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hip/runtime/types.h>

#include "hip/core/memory_map.h"

namespace heddle::hip {

hipPointerAttribute_t attributes_of(const Allocation& allocation, const void* address);

/// Writes one attribute, with its own type, to `data`. An allocation without memory stands for an address
/// that the library does not know, for which every attribute is 0. Returns InvalidValue for a number that is
/// no attribute, NotSupported for those that no device has.
hipError_t get_attribute(const Allocation& allocation, void* address, hipPointer_attribute attribute,
                         void* data);

}  // namespace heddle::hip
