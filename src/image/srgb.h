// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between colours as sRGB stores them, in 8 bits, and linear ones (PRM 7.1.4.1.2 and 7.1.4.2).
// For the files of this folder only.
#pragma once

#include "image/portable.h"

namespace heddle::image {

/// Returns the f64 nearest to the exact result.
double srgb_to_linear(uint8_t stored);
/// Returns the integer nearest to the exact result, for the value of an f32; 0 for NaN.
uint8_t linear_to_srgb(double value);

}  // namespace heddle::image
