// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed floating point in generated programs.
#pragma once

#include <functional>
#include <string>

namespace heddle::tools::fuzz {

/// A number below its argument, by chance.
using Pick = std::function<unsigned(unsigned)>;

/// An instruction on two to eight f16, f32 or f64, with the rounding, the flushing and the packing that it
/// may have: arithmetic, extrema, signs, comparisons and conversions. Sources and results are program values
/// (b128 ones are made of two $d registers); elements that are NaNs become one NaN.
std::string packed_float(const Pick& pick);

}  // namespace heddle::tools::fuzz
