// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplers that a kernel of OpenCL C declares itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::devlib {

/// The function that clang calls with the constant value of a sampler, and whose result is the sampler.
inline constexpr char sampler_function[] = "__translate_sampler_initializer";

/// Returns HSAIL's initial value (PRM 4.8.3, 7.1.8) for a sampler of OpenCL C: "samp(coord = normalized,
/// ...)". `value` is a combination of the CLK_ values of OpenCL C 6.15.15.2. Returns nothing if it is no such
/// combination, or one that HSAIL does not have: unnormalised coordinates with repetition, which OpenCL C
/// leaves undefined, too.
std::optional<std::string> sampler_initializer(uint32_t value);

}  // namespace heddle::devlib
