// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch of a generated program reads, and what it leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/fuzz/program.h"

namespace heddle::tests {

/// The memory of a dispatch: the inputs of all work-items, their results, and the shared counters.
struct Buffers {
  std::vector<std::byte> input, output, shared;
};

/// Arguments of kernels by value, as they lie in the kernarg segment behind three addresses.
struct Words {
  uint32_t w0;
  uint16_t w1;
  float w2;
  uint32_t padding[3];  // w3 is aligned to 16
  int32_t w3[4];
  uint8_t w4;
};

/// Returns inputs that depend on the program's data seed, and results that nobody has written yet.
Buffers initial_buffers(const tools::fuzz::Launch& launch);
Words words_of(const tools::fuzz::Launch& launch);

}  // namespace heddle::tests
