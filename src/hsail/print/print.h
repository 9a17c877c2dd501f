// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "hsail/brig/module.h"

namespace heddle::print {

struct PrintOptions {
  unsigned indent = 4;  ///< spaces for each level of braces
  /// Adds the decimal value of floating-point constants as a comment at the end of their line. The text then
  /// no longer assembles to the same bytes: comments are part of a module.
  bool decimals = false;
  /// Adds the offset of each entry in hsa_code as a comment at the end of its line. The same holds.
  bool offsets = false;
};

/// The module as HSAIL text (PRM chapter 19), one entry of hsa_code after the other.
///
/// Canonical: modifiers in the order of the syntax tables and only where they differ from their default,
/// constants bit exact (0h, 0f, 0d forms). Text of a canonical module (brig::Builder) assembles to the same
/// bytes; text of any other module assembles to a module that prints the same text again. Literals stand
/// without their type where the context gives it back, else as typed constants: s32(1). Thread safe.
std::string disassemble(const brig::Module& module, const PrintOptions& options = {});

/// One entry of hsa_code, without indentation and line end; an executable without its code block. For traces,
/// debuggers and diagnostics.
std::string disassemble_entry(const brig::Module& module, brig::Offset entry,
                              const PrintOptions& options = {});

}  // namespace heddle::print
