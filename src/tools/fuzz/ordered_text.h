// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle::tools::fuzz {

/// A text as fmt::format makes it, of arguments that make random choices: `OrderedText{"...", s(),
/// s()}.text`. What stands in braces is evaluated from left to right. Arguments of functions are evaluated in
/// an order of the compiler's own, so that a seed would make another program with another compiler.
struct OrderedText {
  template <typename... Arguments>
  explicit OrderedText(fmt::format_string<Arguments...> format, Arguments&&... arguments)
      : text(fmt::format(format, std::forward<Arguments>(arguments)...)) {}

  std::string text;
};

}  // namespace heddle::tools::fuzz
