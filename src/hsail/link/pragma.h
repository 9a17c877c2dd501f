// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the pragmas of a program that have a name (PRM 13.4).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hsail/link/program.h"

namespace heddle::link {

/// The pragma of kernels and functions whose barriers do not wait for work-items that have ended
/// (docs/hsail.md):
///
///   pragma "heddle.early_return";
inline constexpr std::string_view early_return_pragma = "heddle.early_return";

/// A pragma, and whether it stands in the code block of a kernel or function.
struct NamedPragma {
  Reference pragma;
  bool in_code_block = false;
};

/// Returns all pragmas of a program whose first operand is this name.
std::vector<NamedPragma> find_pragmas(const Program& program, std::string_view name);

/// Returns the pragma of this name that a kernel or function is to obey: its own, or one of a function that
/// it calls directly or through other such functions. Returns nothing if there is none. The program is
/// resolved.
std::optional<Reference> find_pragma(const Program& program, Reference executable, std::string_view name);

}  // namespace heddle::link
