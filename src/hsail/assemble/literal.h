// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hsail/assemble/lexer.h"

namespace heddle::assemble {

/// Returns the value of an integer literal: decimal, hexadecimal with 0x or octal with 0 (PRM 4.8.1). Returns
/// nothing if the value does not fit 64 bits or a digit is not one of the base.
std::optional<uint64_t> integer_literal(std::string_view text);

/// Reports whether `text`, a float token, gives the bits of the value itself, as 0h1234, 0f... and 0d... do.
bool is_ieee_literal(std::string_view text);

/// Returns the bits of a half, single or double literal without its sign: decimal and hexadecimal forms are
/// rounded to nearest even with subnormals kept, IEEE forms are taken as written (PRM 4.8.2). `kind` is one
/// of the three float token kinds.
uint64_t float_literal(std::string_view text, TokenKind kind);

/// Returns the contents of a string literal with its escapes replaced (PRM 4.5), or nothing if an escape is
/// malformed or its value does not fit a byte.
std::optional<std::string> string_literal(std::string_view text);

}  // namespace heddle::assemble
