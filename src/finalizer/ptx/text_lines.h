// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of PTX that LLVM writes: one instruction in each, which defines registers and uses others.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::finalizer::ptx {

/// An instruction `\tMNEMONIC \tOPERANDS;`, perhaps behind a predicate. Both are parts of the line.
struct Line {
  std::string_view mnemonic, operands;
};

/// Returns nothing for lines that are no instructions, and for blocks of several.
std::optional<Line> instruction_in(std::string_view line);

/// The length of the destination at the beginning of operands, which is the first one or several in braces.
inline size_t end_of_destination(std::string_view operands) {
  return std::min(operands.find(operands.starts_with('{') ? '}' : ','), operands.size());
}

/// Calls `found` for the position of each register in operands, with its name.
template <typename Found>
void for_each_register(std::string_view operands, Found found) {
  const auto is_of_name = [](char c) {
    return c == '_' || c == '$' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (size_t at = operands.find('%'); at != std::string_view::npos; at = operands.find('%', at)) {
    size_t end = at + 1;
    while (end < operands.size() && is_of_name(operands[end])) ++end;
    found(at, operands.substr(at, end - at));
    at = end;
  }
}

/// Returns a text made of what `append(out, line)` appends for each line, without its end.
template <typename Append>
std::string with_each_line(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    append(out, text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

/// Returns a text made of what `append(out, lines)` appends for the lines of each function, and for those
/// between functions.
template <typename Append>
std::string with_each_function(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (lines.back() == "}" || text.empty()) append(out, std::exchange(lines, {}));
  }
  return out;
}

}  // namespace heddle::finalizer::ptx
