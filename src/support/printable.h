// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes text from inputs safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Returns the text with '?' in place of control characters, which a terminal could take for commands (one
/// '?' for a C1 character of two bytes), and in place of each byte that is not UTF-8. Tabs and ends of lines
/// stay.
std::string printable(std::string_view text);

}  // namespace heddle
