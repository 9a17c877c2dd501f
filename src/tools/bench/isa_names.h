// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle::tools {

/// Reports whether `wanted` is the ISA's name or a sequence of the parts that colons separate in it:
/// "x86-64-v3", "w8" and "x86-64-v3:w8" name heddle:x86-64-v3:w8, but "x86-64" and "w" do not.
inline bool names_isa(std::string_view wanted, std::string_view isa) {
  if (wanted.empty()) return false;
  const auto enclosed = [](std::string_view text) { return ":" + std::string(text) + ":"; };
  return enclosed(isa).find(enclosed(wanted)) != std::string::npos;
}

}  // namespace heddle::tools
