// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of inputs on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The text with '?' for each byte that a terminal could take as a command or that is no text: control
/// characters (a C1 one, which has two bytes, becomes one '?') and bytes that are not UTF-8. Tabs and ends of
/// lines stay.
std::string printable(std::string_view text);

/// Whether a byte of printable() text is a later one of its character.
inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace heddle
