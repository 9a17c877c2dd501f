// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manual pages in the language of man(7), made from the definitions of the commands and from text that is
// written by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/command_line.h"

namespace heddle::tools {

/// Text of a page that is not in the definition of the command: paragraphs of the section DESCRIPTION, and
/// behind them, from the first line that begins with ".SH", sections that follow the options.
using HandwrittenText = std::string_view;

/// Returns the page heddle-COMMAND(1).
std::string command_page(const CommandDescription& command, std::string_view version, HandwrittenText text);

/// Returns the page heddle(1), with the list of the commands.
std::string main_page(const CommandDescription& heddle, const std::vector<CommandDescription>& commands,
                      std::string_view version, HandwrittenText text);

}  // namespace heddle::tools
