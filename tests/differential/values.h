// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <vector>

#include "hsail/isa/isa.h"
#include "instruction_kernel.h"

namespace heddle::testing {

/// Generates deterministic source values: edge values of each type, values near them, and random bits.
class Values {
 public:
  explicit Values(uint64_t seed) : random_(seed) {}

  /// Returns a value of the type, with edge values in each element of packed types and random bits above the
  /// value.
  Cell value(isa::Type type);
  /// Returns a value that often leaves the other operand of an operation unchanged: 0, 1, -1 or -0, the same
  /// in all elements.
  Cell neutral_or_other(isa::Type type);
  uint64_t bits() { return random_(); }

 private:
  uint64_t element(isa::Type type);
  uint64_t integer(unsigned bits);
  uint64_t floating(unsigned bits);

  std::mt19937_64 random_;
};

}  // namespace heddle::testing
