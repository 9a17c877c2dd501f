// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operating system says of its memory.
#pragma once

#include <cstdint>

#include "driver/virtual_memory.h"

namespace heddle::runtime::amd {

using driver::page_size;

/// Returns the bytes that programs can still allocate without swapping, as the system estimates them; the
/// bytes that nobody uses where it makes no estimate.
uint64_t available_system_memory();

}  // namespace heddle::runtime::amd
