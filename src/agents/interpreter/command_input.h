// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::interpreter_agent {

/// The input of the debugger's commands, line by line: first a script, if there is one, then standard input.
/// A terminal gets a prompt, and history and completion if heddle was built with libedit.
class CommandInput {
 public:
  /// Gives the words that may replace the last word of `line`, which may be incomplete.
  using Complete = std::function<std::vector<std::string>(const std::string& line)>;

  /// Takes ownership of `script`, which may be null. In a batch there is no prompt, and standard input is not
  /// read after a script.
  CommandInput(std::FILE* script, bool batch) : script_(script), batch_(batch), had_script_(script) {}
  ~CommandInput() {
    if (script_) std::fclose(script_);
  }
  CommandInput(const CommandInput&) = delete;
  CommandInput& operator=(const CommandInput&) = delete;

  /// The next line, or nothing at the end of the input. Except in a batch, a script is followed by standard
  /// input if that is a terminal.
  std::optional<std::string> next(const Complete& complete);
  bool batch() const { return batch_; }

 private:
  std::FILE* script_;
  const bool batch_, had_script_;
};

}  // namespace heddle::interpreter_agent
