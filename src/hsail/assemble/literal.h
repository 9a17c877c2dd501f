// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hsail/assemble/lexer.h"

namespace heddle::assemble {

/// Value of an integer literal: decimal, 0x hexadecimal or 0 octal (PRM 4.8.1). None if it does not fit 64
/// bits or has digits that its base does not know.
std::optional<uint64_t> integer_literal(std::string_view text);

/// True for 0h1234 and kin, the bits themselves. `text` is a float token.
bool is_ieee_literal(std::string_view text);

/// Bits of a half, single or double literal, sign excluded: decimal and hexadecimal forms rounded to nearest
/// even with subnormals kept, IEEE forms as they stand (PRM 4.8.2). `kind` is one of the three float token
/// kinds.
uint64_t float_literal(std::string_view text, TokenKind kind);

/// Contents of a string literal, escapes replaced (PRM 4.5); none if an escape is malformed or its value does
/// not fit a byte.
std::optional<std::string> string_literal(std::string_view text);

}  // namespace heddle::assemble
