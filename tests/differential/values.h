// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <vector>

#include "hsail/isa/isa.h"
#include "instruction_kernel.h"

namespace heddle::testing {

/// Deterministic values for sources: edge values of each type, values near them, and random bits.
class Values {
 public:
  explicit Values(uint64_t seed) : random_(seed) {}

  /// A value of the type (packed: edge values in each element), with garbage above it.
  Cell value(isa::Type type);
  /// One that often leaves the other operand of an operation as it is: 0, 1, -1 or -0, the same in all
  /// elements.
  Cell neutral_or_other(isa::Type type);
  uint64_t bits() { return random_(); }

 private:
  uint64_t element(isa::Type type);
  uint64_t integer(unsigned bits);
  uint64_t floating(unsigned bits);

  std::mt19937_64 random_;
};

}  // namespace heddle::testing
