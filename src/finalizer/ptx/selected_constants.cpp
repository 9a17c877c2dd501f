// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/selected_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

/// A choice among two constants: the bits of its type, and the result.
struct Choice {
  unsigned bits;
  std::string_view result;
};

bool is_register(std::string_view operand) { return operand.starts_with('%'); }

std::optional<Choice> choice_in(const Line& line) {
  if (!line.mnemonic.starts_with("selp.") || line.mnemonic.size() != 8) return std::nullopt;
  const std::string_view bits = line.mnemonic.substr(6);
  std::vector<std::string_view> words;
  for (std::string_view rest = line.operands; !rest.empty();) {
    const size_t comma = std::min(rest.find(", "), rest.size());
    words.push_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  if (words.size() != 4 || is_register(words[1]) || is_register(words[2])) return std::nullopt;
  return Choice{bits == "16" ? 16u : bits == "32" ? 32u : 64u, words[0]};
}

/// The bits of the numbers that an instruction takes, by the last type of its mnemonic; 0 if it takes none.
unsigned bits_of_floats(std::string_view mnemonic) {
  if (mnemonic.starts_with("selp.") || mnemonic.starts_with("mov.")) return 0;
  return mnemonic.ends_with(".f32")   ? 32
         : mnemonic.ends_with(".f64") ? 64
         : mnemonic.ends_with(".f16") ? 16
                                      : 0;
}

std::string number_register(std::string_view reg) { return fmt::format("%hsail_number_{}", reg.substr(1)); }

/// Returns the instructions that copy the result to the second register. They combine it by xor with a value
/// that is always 0, although ptxas cannot infer that.
std::string hiding(const Choice& choice) {
  std::string zero = "%hsail_zero", text;
  if (choice.bits != 32) {
    zero = fmt::format("%hsail_zero{}", choice.bits);
    text = fmt::format(" .reg .b{0} {1}; cvt.u{0}.u32 {1}, %hsail_zero;", choice.bits, zero);
  }
  return fmt::format(
      "\t{{ .reg .b32 %hsail_zero, %hsail_before; mov.u32 %hsail_zero, %lanemask_eq; mov.u32 %hsail_before, "
      "%lanemask_lt; and.b32 %hsail_zero, %hsail_zero, %hsail_before;{} xor.b{} {}, {}, {}; }}\n",
      text, choice.bits, number_register(choice.result), choice.result, zero);
}

/// Returns the line with a `selp.f32` or `selp.f64` turned into the `selp` of bits if one of its constants is
/// a NaN, because ptxas may give a NaN that is selected as a floating-point value other bits.
std::string with_bits_of_nans(std::string_view line, const Line& instruction) {
  std::string text(line);
  for (const auto& [prefix, digits, exponent] :
       {std::tuple{" 0f", size_t{8}, uint64_t{0x7f800000}},
        std::tuple{" 0d", size_t{16}, uint64_t{0x7ff0000000000000}}}) {
    bool found = false;
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
      const uint64_t bits = std::strtoull(text.substr(at + 3, digits).c_str(), nullptr, 16);
      if ((bits & (exponent | (exponent - 1))) <= exponent) continue;
      found = true;
    }
    if (!found) continue;
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1))
      text[at + 2] = 'x';
    text[text.find(instruction.mnemonic) + 5] = 'b';
  }
  return text;
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
          out += fmt::format("\t.reg .b{} \t{};\n", choice.bits, number_register(reg));
        declares = false;
      }
      append_line(out, line);
    }
  }

 private:
  struct Uses {
    unsigned writes = 0;
    unsigned bits = 0;  ///< of the numbers that it is taken for
  };

  /// Keeps the choices that instructions use as numbers and that nothing else writes to.
  void find_choices() {
    std::unordered_map<std::string_view, Uses> uses;
    for (const std::string_view line : lines_) {
      const auto instruction = instruction_in(line);
      if (!instruction) continue;
      if (const auto choice = choice_in(*instruction)) choices_.emplace(choice->result, *choice);
      const size_t destination = end_of_destination(instruction->operands);
      for_each_register(instruction->operands, [&](size_t at, std::string_view reg) {
        Uses& use = uses[reg];
        if (at < destination) return void(++use.writes);
        use.bits |= bits_of_floats(instruction->mnemonic);
      });
    }
    std::erase_if(choices_, [&](const auto& item) {
      const Uses& use = uses[item.first];
      return use.writes != 1 || (use.bits & item.second.bits) == 0;
    });
  }

  void append_line(std::string& out, std::string_view line) const {
    const auto instruction = instruction_in(line);
    if (instruction && instruction->mnemonic.starts_with("selp.f")) {
      out.append(with_bits_of_nans(line, *instruction)) += '\n';
      return append_hiding(out, *instruction);
    }
    if (!instruction || choices_.empty()) {
      out.append(line) += '\n';
      return;
    }
    out.append(line.substr(0, static_cast<size_t>(instruction->operands.begin() - line.begin())));
    size_t copied = 0;
    for_each_register(instruction->operands, [&](size_t at, std::string_view reg) {
      const auto choice = choices_.find(reg);
      if (choice == choices_.end() || bits_of_floats(instruction->mnemonic) != choice->second.bits) return;
      out.append(instruction->operands.substr(copied, at - copied)) += number_register(reg);
      copied = at + reg.size();
    });
    out.append(instruction->operands.substr(copied)) += ";\n";
    append_hiding(out, *instruction);
  }

  void append_hiding(std::string& out, const Line& instruction) const {
    if (const auto choice = choice_in(instruction); choice && choices_.contains(choice->result))
      out += hiding(*choice);
  }

  std::vector<std::string_view> lines_;
  std::map<std::string_view, Choice> choices_;  ///< by result
};

}  // namespace

std::string with_constants_selected_as_floats(std::string_view ptx) {
  return with_each_function(ptx, [](std::string& out, std::vector<std::string_view> lines) {
    Function(std::move(lines)).append_to(out);
  });
}

}  // namespace heddle::finalizer::ptx
