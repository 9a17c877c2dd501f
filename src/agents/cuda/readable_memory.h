// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace heddle::cuda {

/// Copies memory that may not be there; false if it cannot be read.
bool read_if_readable(void* to, const void* from, size_t size);

}  // namespace heddle::cuda
