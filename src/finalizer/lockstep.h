// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pragma by which kernels and functions ask to be executed in lock-step (docs/hsail.md):
//
//   pragma "heddle.lockstep", 32;
#pragma once

#include <optional>
#include <string_view>

#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// How many work-items a wave has that is executed in lock-step. No other number can be asked for.
inline constexpr uint32_t lockstep_lanes = 32;

/// Checks all pragmas of this name in a program. Reports ("FINALIZER-lockstep") those that ask for another
/// number of work-items, have other operands, or stand outside of kernels and functions.
void check_lockstep_pragmas(const link::Program& program, Diagnostics& diagnostics);

/// Returns the pragma that a kernel or function is to obey: its own, or one of a function that it calls
/// directly or through other such functions. Returns nothing if there is none. The program is resolved.
std::optional<link::Reference> find_lockstep_pragma(const link::Program& program, link::Reference executable);

/// Reports ("FINALIZER-lockstep") that a kernel or function cannot be executed as its pragma asks.
void report_no_lockstep(link::Reference pragma, std::string_view name, std::string_view why,
                        Diagnostics& diagnostics);

}  // namespace heddle::finalizer
