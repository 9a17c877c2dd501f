// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/packed_halves.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::finalizer::ptx {
namespace {

std::optional<Halves> in_braces(std::string_view word, std::string_view braces) {
  const size_t comma = braces.find(", ");
  if (!braces.starts_with('{') || !braces.ends_with('}') || comma == std::string_view::npos)
    return std::nullopt;
  return Halves{word, braces.substr(1, comma - 1), braces.substr(comma + 2, braces.size() - comma - 3)};
}

/// One function of PTX, or what is between two of them.
class Function {
 public:
  explicit Function(std::vector<std::string_view> lines) : lines_(std::move(lines)) {
    for (const std::string_view line : lines_)
      if (const auto instruction = instruction_in(line)) look_at(*instruction);
  }

  void append_to(std::string& out) const {
    for (const std::string_view line : lines_) {
      append_line(out, line);
      out += '\n';
    }
  }

 private:
  struct Source {
    unsigned writes = 0;
    std::string_view word;  ///< of which the half is the lower one; empty if that is not known
  };

  void look_at(const Line& instruction) {
    const std::string_view operands = instruction.operands;
    const size_t destination = end_of_destination(operands);
    for_each_register(operands.substr(0, destination),
                      [&](size_t, std::string_view reg) { ++sources_[reg].writes; });
    if (instruction.mnemonic == "cvt.u16.u32" && destination + 2 < operands.size())
      sources_[operands.substr(0, destination)].word = operands.substr(destination + 2);
  }

  bool is_written_once(std::string_view reg) const {
    const auto found = sources_.find(reg);
    return found != sources_.end() && found->second.writes == 1;
  }

  /// The instruction that brings the lower half, a register or a number, into a register of 32 bits.
  std::string lower(std::string_view half) const {
    const auto found = sources_.find(half);
    if (found != sources_.end() && is_written_once(half) && is_written_once(found->second.word))
      return fmt::format("and.b32 %hsail_lower, {}, 65535;", found->second.word);
    return fmt::format("{} %hsail_lower, {};", half.starts_with('%') ? "cvt.u32.u16" : "mov.b32", half);
  }

  void append_line(std::string& out, std::string_view line) const {
    const auto instruction = instruction_in(line);
    if (const auto halves = instruction ? put_together(*instruction, "mov.b32") : std::nullopt)
      return append_packing(out, *halves);
    if (const auto halves = instruction ? taken_apart(*instruction, "mov.b32") : std::nullopt)
      return append_unpacking(out, *halves);
    out += line;
  }

  void append_packing(std::string& out, const Halves& halves) const {
    out += fmt::format(
        "\t{{ .reg .b32 %hsail_lower, %hsail_upper; {} {} %hsail_upper, {}; prmt.b32 {}, %hsail_lower, "
        "%hsail_upper, 0x5410; }}",
        lower(halves.lower), halves.upper.starts_with('%') ? "cvt.u32.u16" : "mov.b32", halves.upper,
        halves.word);
  }

  static void append_unpacking(std::string& out, const Halves& halves) {
    out += "\t{";
    if (halves.upper != "_")
      out += fmt::format(" .reg .b32 %hsail_upper; shr.u32 %hsail_upper, {}, 16;", halves.word);
    if (halves.lower != "_") out += fmt::format(" cvt.u16.u32 {}, {};", halves.lower, halves.word);
    if (halves.upper != "_") out += fmt::format(" cvt.u16.u32 {}, %hsail_upper;", halves.upper);
    out += " }";
  }

  std::vector<std::string_view> lines_;
  std::unordered_map<std::string_view, Source> sources_;  ///< by register
};

}  // namespace

std::optional<Halves> put_together(const Line& line, std::string_view mnemonic) {
  const size_t end = line.operands.find(", {");
  if (line.mnemonic != mnemonic || end == std::string_view::npos) return std::nullopt;
  return in_braces(line.operands.substr(0, end), line.operands.substr(end + 2));
}

std::optional<Halves> taken_apart(const Line& line, std::string_view mnemonic) {
  const size_t end = line.operands.find("}, ");
  if (line.mnemonic != mnemonic || end == std::string_view::npos) return std::nullopt;
  return in_braces(line.operands.substr(end + 3), line.operands.substr(0, end + 1));
}

std::string with_explicit_halves(std::string_view ptx) {
  return with_each_function(ptx, [](std::string& out, std::vector<std::string_view> lines) {
    Function(std::move(lines)).append_to(out);
  });
}

}  // namespace heddle::finalizer::ptx
