// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts with which shells complete the commands of `heddle`, their options and their values.
#pragma once

#include <string>
#include <vector>

#include "tools/command_line.h"

namespace heddle::tools {

std::string bash_completion(const CommandDescription& heddle,
                            const std::vector<CommandDescription>& commands);
std::string zsh_completion(const CommandDescription& heddle, const std::vector<CommandDescription>& commands);
std::string fish_completion(const CommandDescription& heddle,
                            const std::vector<CommandDescription>& commands);

}  // namespace heddle::tools
