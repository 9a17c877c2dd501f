// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "compiler/code/code.h"

namespace heddle::compiler {

/// Appends the code block, with its braces, as HSAIL text. Registers have their final numbers. Branches to
/// the next block are left out, and so are copies of registers to themselves and labels that nothing uses.
void print(const Code& code, std::string& text);

/// Appends a constant as a source of the type. Floating-point values are written as their bits (PRM 4.8.2),
/// so that text and value cannot differ.
void print_constant(uint64_t bits, Type type, std::string& text);

}  // namespace heddle::compiler
