// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

#include "finalizer/target.h"

namespace heddle::finalizer {

/// The targets of this library, in the order in which their ISAs are listed.
std::span<const Target* const> targets();

/// The ISAs of all targets.
std::span<const Isa* const> isas();

/// Returns null if no target has an ISA with this name.
const Isa* find_isa(std::string_view name);

}  // namespace heddle::finalizer
