// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hip/runtime/types.h>

namespace heddle::hip {

struct ErrorRow {
  hipError_t code;
  const char* name;
  const char* text;
};

/// Returns the row of a code; of hipErrorUnknown for numbers that are no code.
const ErrorRow& row_of(hipError_t code);

}  // namespace heddle::hip
