// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::interpreter_agent {

/// Where the debugger's commands come from, line by line: a script first, if there is one, then standard
/// input. On a terminal with a prompt, and with history and completion if heddle was built with libedit.
class CommandInput {
 public:
  /// What may stand at the end of `line` instead of its last word, which may be incomplete.
  using Complete = std::function<std::vector<std::string>(const std::string& line)>;

  /// Owns `script`, which may be null. In a batch standard input follows a script in no case, and there is no
  /// prompt.
  CommandInput(std::FILE* script, bool batch) : script_(script), batch_(batch), had_script_(script) {}
  ~CommandInput() {
    if (script_) std::fclose(script_);
  }
  CommandInput(const CommandInput&) = delete;
  CommandInput& operator=(const CommandInput&) = delete;

  /// The next line; none at the end of the input. A script goes on with standard input if that is a terminal.
  std::optional<std::string> next(const Complete& complete);
  bool batch() const { return batch_; }

 private:
  std::FILE* script_;
  const bool batch_, had_script_;
};

}  // namespace heddle::interpreter_agent
