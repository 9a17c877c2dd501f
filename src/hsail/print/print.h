// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "hsail/brig/module.h"

namespace heddle::print {

struct PrintOptions {
  unsigned indent = 4;  ///< spaces for each level of braces
  /// Adds the decimal value of floating-point constants as a comment at the end of their line. The text then
  /// no longer assembles to the same bytes, because comments are part of a module.
  bool decimals = false;
  /// Adds the offset of each entry in hsa_code as a comment at the end of its line. The text then no longer
  /// assembles to the same bytes either.
  bool offsets = false;
};

/// Returns the module as HSAIL text (PRM chapter 19), in the order of the entries of hsa_code.
///
/// The text is canonical: modifiers are in the order of the syntax tables and omitted where they have their
/// default, and constants are bit exact (0h, 0f and 0d forms). The text of a canonical module (see
/// brig::Builder) assembles to the same bytes; the text of any other module assembles to a module that prints
/// the same text again. Literals are printed without their type where the context implies it, else as typed
/// constants such as s32(1). Thread safe.
std::string disassemble(const brig::Module& module, const PrintOptions& options = {});

/// Returns the text of one entry of hsa_code without indentation and line end, for traces, debuggers and
/// diagnostics. The code block of an executable is left out. Thread safe.
std::string disassemble_entry(const brig::Module& module, brig::Offset entry,
                              const PrintOptions& options = {});

}  // namespace heddle::print
