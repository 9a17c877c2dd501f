// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compiler {

enum class Language { opencl, hip, ir };

/// One input of the compiler.
struct Source {
  std::string name;  ///< a file; if there is text, only what messages call it
  std::optional<std::string_view> text;
  Language language = Language::opencl;
};

/// Returns the language that files with such a name have, or nullopt.
std::optional<Language> language_of(std::string_view name);

}  // namespace heddle::compiler
