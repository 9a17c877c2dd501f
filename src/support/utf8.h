// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UTF-8 (RFC 3629: characters in their shortest form, no surrogates, up to U+10FFFF) in texts that may be
// anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// Returns the number of bytes of the character that the text, which is not empty, begins with, and its code;
/// or 0 if the text does not begin with UTF-8.
size_t utf8_character_size(std::string_view text, uint32_t& code);

/// Returns the text with U+FFFD, the replacement character, in place of each byte that is not UTF-8.
std::string valid_utf8(std::string_view text);

/// Whether a byte of a text in UTF-8 continues a character of several bytes.
inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace heddle
