// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mathematical functions of OpenCL C, their exact values, and the errors that are allowed.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hsalib/mpfr_error.h"

namespace heddle::clmath {

using testing::Exact;
using testing::Format;

/// Stores the exact value for arguments of a format, and returns whether there is one: OpenCL C leaves some
/// results to the implementation.
using Reference = std::function<bool(mpfr_ptr result, std::span<const mpfr_ptr> arguments, Format format)>;

/// Errors in units in the last place that the full profile allows (OpenCL C 7.4). Negative numbers: there is
/// no such function; infinity: implementation-defined.
struct Bounds {
  double f32, f64, f16;
};

struct Function {
  const char* name;  ///< of the kernel without "test_"
  unsigned arguments;
  Bounds bounds;
  double low, high;  ///< of arguments that are dense in the tests
  Reference reference;
  bool any_zero = false;  ///< whether a zero may have either sign
};

const std::vector<Function>& functions();

}  // namespace heddle::clmath
