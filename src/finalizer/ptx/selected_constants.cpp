// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/selected_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::finalizer::ptx {
namespace {

/// An instruction `\tMNEMONIC \tOPERANDS;`, perhaps behind a predicate.
struct Line {
  std::string_view mnemonic, operands;
};

std::optional<Line> instruction_in(std::string_view line) {
  if (!line.starts_with('\t') || !line.ends_with(';')) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  if (line.starts_with('@')) line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  const size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos || line.starts_with('.')) return std::nullopt;
  const size_t operands = line.find_first_not_of(" \t", end);
  if (operands == std::string_view::npos) return std::nullopt;
  return Line{line.substr(0, end), line.substr(operands)};
}

bool is_of_name(char c) { return c == '%' || c == '_' || c == '$' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Calls `found` for the position of each register in operands, with its name.
template <typename Found>
void for_each_register(std::string_view operands, Found found) {
  for (size_t at = operands.find('%'); at != std::string_view::npos; at = operands.find('%', at)) {
    size_t end = at + 1;
    while (end < operands.size() && is_of_name(operands[end])) ++end;
    found(at, operands.substr(at, end - at));
    at = end;
  }
}

/// A choice among two constants: the bits of its type and what follows the result.
struct Choice {
  unsigned bits;
  int64_t constants[2];
  std::string_view result, predicate;
};

std::optional<Choice> choice_in(const Line& line) {
  const unsigned bits = line.mnemonic == "selp.b32" ? 32 : line.mnemonic == "selp.b64" ? 64 : 0;
  if (bits == 0) return std::nullopt;
  std::vector<std::string_view> words;
  for (std::string_view rest = line.operands; !rest.empty();) {
    const size_t comma = std::min(rest.find(", "), rest.size());
    words.push_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  if (words.size() != 4) return std::nullopt;
  Choice choice{bits, {}, words[0], words[3]};
  for (int i = 0; i < 2; ++i) {
    const char* const end = words[1 + i].data() + words[1 + i].size();
    if (std::from_chars(words[1 + i].data(), end, choice.constants[i]).ptr != end) return std::nullopt;
  }
  return choice;
}

/// Whether the sources of an instruction are numbers of so many bits: the last type of the mnemonic is theirs.
bool takes_floats(std::string_view mnemonic, unsigned bits) {
  if (mnemonic.starts_with("selp.") || mnemonic.starts_with("mov.")) return false;
  return mnemonic.ends_with(bits == 32 ? ".f32" : ".f64");
}

std::string float_register(std::string_view reg) { return fmt::format("%hsail_number_{}", reg.substr(1)); }

std::string number(const Choice& choice, int which) {
  return choice.bits == 32 ? fmt::format("0f{:08X}", static_cast<uint32_t>(choice.constants[which]))
                           : fmt::format("0d{:016X}", static_cast<uint64_t>(choice.constants[which]));
}

/// One function of PTX, or what is between two of them.
class Function {
 public:
  explicit Function(std::vector<std::string_view> lines) : lines_(std::move(lines)) { find_choices(); }

  void append_to(std::string& out) const {
    bool declares = true;
    for (const std::string_view line : lines_) {
      if (declares && line.starts_with("\t.reg")) {
        for (const auto& [reg, choice] : choices_)
          out += fmt::format("\t.reg .b{} \t{};\n", choice.bits, float_register(reg));
        declares = false;
      }
      append_line(out, line);
    }
  }

 private:
  struct Uses {
    unsigned writes = 0;
    bool as_f32 = false, as_f64 = false;
  };

  /// Keeps the choices that instructions use as numbers and that nothing else writes to.
  void find_choices() {
    std::unordered_map<std::string_view, Uses> uses;
    for (const std::string_view line : lines_) {
      const auto instruction = instruction_in(line);
      if (!instruction) continue;
      if (const auto choice = choice_in(*instruction)) choices_.emplace(choice->result, *choice);
      for_each_register(instruction->operands, [&](size_t at, std::string_view reg) {
        Uses& use = uses[reg];
        if (at == 0) return void(++use.writes);
        use.as_f32 |= takes_floats(instruction->mnemonic, 32);
        use.as_f64 |= takes_floats(instruction->mnemonic, 64);
      });
    }
    std::erase_if(choices_, [&](const auto& item) {
      const Uses& use = uses[item.first];
      return use.writes != 1 || !(item.second.bits == 32 ? use.as_f32 : use.as_f64);
    });
  }

  void append_line(std::string& out, std::string_view line) const {
    const auto instruction = instruction_in(line);
    if (!instruction || choices_.empty()) {
      out.append(line) += '\n';
      return;
    }
    out.append(line.data(), instruction->operands.data());
    size_t copied = 0;
    for_each_register(instruction->operands, [&](size_t at, std::string_view reg) {
      const auto choice = choices_.find(reg);
      if (choice == choices_.end() || !takes_floats(instruction->mnemonic, choice->second.bits)) return;
      out.append(instruction->operands.substr(copied, at - copied)) += float_register(reg);
      copied = at + reg.size();
    });
    out.append(instruction->operands.substr(copied)) += ";\n";
    if (const auto choice = choice_in(*instruction); choice && choices_.contains(choice->result))
      out += fmt::format("\tselp.f{} \t{}, {}, {}, {};\n", choice->bits, float_register(choice->result),
                         number(*choice, 0), number(*choice, 1), choice->predicate);
  }

  std::vector<std::string_view> lines_;
  std::map<std::string_view, Choice> choices_;  ///< by result
};

}  // namespace

std::string with_constants_selected_as_floats(std::string_view ptx) {
  std::string out;
  out.reserve(ptx.size() + ptx.size() / 16);
  std::vector<std::string_view> lines;
  const auto flush = [&] { Function(std::exchange(lines, {})).append_to(out); };
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size());
    lines.push_back(ptx.substr(0, end));
    if (lines.back() == "}") flush();
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  flush();
  return out;
}

}  // namespace heddle::finalizer::ptx
