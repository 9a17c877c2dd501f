// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The straight-line instructions of generated programs.
#pragma once

#include <span>

namespace heddle::tools::fuzz {

/// Text with places for operands: %s %d %c a register of that size, %S %D a register or a constant, %R a
/// rounding mode or none, %L a comparison, %4 and %5 a number below 16 and 32, %8 any constant of 32 bits, %p
/// a packing of two sources.
struct Operation {
  const char* pattern;
  bool basic;  ///< tools of HSA 1.0 handle it well
};

std::span<const Operation> operations();

}  // namespace heddle::tools::fuzz
