// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams that wait until a value in memory meets a condition (hipStreamWaitValue32() and -64()).
#pragma once

#include <cstdint>

#include "hip/core/stream.h"

namespace heddle::hip {

struct ValueCondition {
  const void* address;
  uint32_t size;   ///< 4 or 8
  uint32_t flags;  ///< hipStreamWaitValue*
  uint64_t value;
  uint64_t mask;

  bool met() const;
};

/// Lets later work of a stream wait until the condition is met. Because anything may write the memory, one
/// thread of the library looks at all values for which streams wait at the moment. Throws Failure.
void wait_for_value(Stream& stream, const ValueCondition& condition);

/// Lets a stream write a value of 4 or 8 bytes after the work that it has. Throws Failure.
void write_value(Stream& stream, void* address, uint32_t size, uint64_t value);

}  // namespace heddle::hip
