// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace heddle::assemble {

struct AssembleOptions {
  /// Adds a loc directive (PRM 13.2) with `file` and the line of the text before each kernel, function and
  /// instruction that begins on a new line. The first loc in the text itself ends this.
  bool add_locations = false;
  /// The version of BRIG to write, 1.`minor`. The module directive then names no later version of HSAIL, and
  /// whatever this version cannot express is an error. Without it, the version is that of the module
  /// directive, or the earliest later one that has what the module uses, about which there are warnings.
  std::optional<unsigned> brig_minor;
};

/// Assembles one module of HSAIL text (PRM chapter 19) to BRIG (PRM chapter 18).
///
/// Reads the whole text and reports as many independent errors as it can, each with line, column and an id of
/// the form "HSAIL-<clause>-<what>". The result has passed the checks of brig::Module::open(), whose findings
/// are reported at the position of the statement. On success returns true and `brig` holds the module;
/// otherwise `brig` is empty. `text` may be any bytes; `file` is used in diagnostics and in the loc
/// directives that the options request. Thread safe.
bool assemble(std::string_view text, const std::string& file, std::vector<std::byte>& brig,
              Diagnostics& diagnostics, const AssembleOptions& options = {});

}  // namespace heddle::assemble
