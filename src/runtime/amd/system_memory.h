// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operating system says of its memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime::amd {

/// Returns the size of the system's pages.
size_t page_size();

/// Returns the bytes that programs can still allocate without swapping, as the system estimates them; the
/// bytes that nobody uses where it makes no estimate.
uint64_t available_system_memory();

}  // namespace heddle::runtime::amd
