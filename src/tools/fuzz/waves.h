// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements whose results depend on which work-items a wave has, and on which of them are active.
#pragma once

#include <functional>
#include <string>

#include "packed_float.h"

namespace heddle::tools::fuzz {

/// Returns instructions that make a program value of what a lane can see of its wave: its place in the wave,
/// which lanes are active, values of theirs. They may stand anywhere.
std::string wave_value(const Pick& pick);

/// Returns instructions that make a program value of the exceptions that some operations raise in the active
/// lanes. The code must record exceptions. `operation` returns the text of an operation. Lanes on other paths
/// have no influence, so that the order of the paths has no effect.
std::string detected(const Pick& pick, const std::function<std::string()>& operation);

}  // namespace heddle::tools::fuzz
