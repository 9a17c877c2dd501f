// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/loaded_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <unordered_set>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

using Registers = std::unordered_set<std::string_view>;

constexpr unsigned upper_half = 16;

/// Whether an instruction loads a scalar of 8 or 16 bits.
bool is_narrow_load(const Line& line) {
  constexpr std::string_view types[] = {".b8", ".s8", ".u8", ".b16", ".s16", ".u16"};
  return line.mnemonic.starts_with("ld.") && !line.operands.starts_with('{') &&
         std::ranges::any_of(types, [&](std::string_view type) { return line.mnemonic.ends_with(type); });
}

/// The operands of an instruction with two of them; the second one is the rest if it has more.
std::pair<std::string_view, std::string_view> two_operands(std::string_view operands) {
  const size_t end = std::min(operands.find(", "), operands.size());
  return {operands.substr(0, end), operands.substr(std::min(end + 2, operands.size()))};
}

/// The registers with what narrow loads have extended. Conversions of integers only extend it further.
Registers loaded_in(const std::vector<std::string_view>& lines) {
  Registers loaded;
  for (const std::string_view text : lines) {
    const auto line = instruction_in(text);
    if (!line) continue;
    const auto [result, source] = two_operands(line->operands);
    if (is_narrow_load(*line) || (line->mnemonic.starts_with("cvt.") && loaded.contains(source)))
      loaded.insert(result);
  }
  return loaded;
}

/// Whether the line takes bits out of the upper half of a register; then `source` is that register.
bool takes_upper_field(const Line& line, std::string_view& source) {
  if (line.mnemonic != "bfe.u32" && line.mnemonic != "bfe.s32") return false;
  const auto [taken, rest] = two_operands(two_operands(line.operands).second);
  source = taken;
  const std::string_view from = two_operands(rest).first;
  unsigned first = 0;
  return std::from_chars(from.begin(), from.end(), first).ec == std::errc() && first >= upper_half;
}

void append_lines(std::string& out, const std::vector<std::string_view>& lines) {
  const Registers loaded = loaded_in(lines);
  for (const std::string_view text : lines) {
    const auto line = instruction_in(text);
    std::string_view source;
    // A block cannot have a predicate.
    if (line && !text.starts_with("\t@") && takes_upper_field(*line, source) && loaded.contains(source)) {
      const auto [result, rest] = two_operands(line->operands);
      fmt::format_to(std::back_inserter(out),
                     "\t{{ .reg .b32 %hsail_loaded; prmt.b32 %hsail_loaded, {0}, {0}, 0x3210; {1} {2}, "
                     "%hsail_loaded, {3}; }}",
                     source, line->mnemonic, result, two_operands(rest).second);
    } else {
      out += text;
    }
    out += '\n';
  }
}

}  // namespace

std::string with_loaded_fields_copied(std::string_view ptx) { return with_each_function(ptx, append_lines); }

}  // namespace heddle::finalizer::ptx
