// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed floating-point instructions in generated programs.
#pragma once

#include <functional>
#include <string>

namespace heddle::tools::fuzz {

/// Returns a random number below its argument.
using Pick = std::function<unsigned(unsigned)>;

/// Returns an instruction on two to eight f16, f32 or f64 elements with any permitted rounding, flushing and
/// packing: arithmetic, extrema, signs, comparisons or conversions. Sources and results are program values
/// (b128 values consist of two $d registers); NaN elements become one NaN.
std::string packed_float(const Pick& pick);

}  // namespace heddle::tools::fuzz
