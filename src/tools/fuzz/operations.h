// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The straight-line instructions of generated programs.
#pragma once

#include <span>

namespace heddle::tools::fuzz {

/// An instruction with placeholders for operands: %s, %d and %c stand for a register of that kind, %S and %D
/// for a register or a constant, %R for a rounding mode or none, %L for a comparison, %4 and %5 for a number
/// below 16 and 32, %8 for any 32-bit constant, and %p for a packing of two sources.
struct Operation {
  const char* pattern;
  bool basic;  ///< tools of HSA 1.0 handle it well
};

std::span<const Operation> operations();

}  // namespace heddle::tools::fuzz
