// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace heddle::assemble {

struct AssembleOptions {
  /// Adds loc directives (PRM 13.2) that name `file` and the lines of the text, before each kernel or
  /// function and each instruction on a line of its own; up to the first loc that the text itself has.
  bool add_locations = false;
};

/// Assembles one module of HSAIL text (PRM chapter 19) to BRIG (PRM chapter 18).
///
/// Reads the whole text and reports every error it can tell from the others, each with line, column and an id
/// "HSAIL-<clause>-<what>". The result has passed the checks of brig::Module::open(); what these find is
/// reported at the position of the statement. On success `brig` holds the module; otherwise it is empty.
/// `text` may be any bytes; `file` is used in diagnostics, and in loc directives that the options ask for.
/// Thread safe.
bool assemble(std::string_view text, const std::string& file, std::vector<std::byte>& brig,
              Diagnostics& diagnostics, const AssembleOptions& options = {});

}  // namespace heddle::assemble
