// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/selected_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
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

/// A value that is always 0, although ptxas cannot infer that.
struct HiddenZero {
  std::string declarations, instructions, name;
};

HiddenZero hidden_zero(unsigned bits) {
  HiddenZero zero{
      " .reg .b32 %hsail_zero, %hsail_before;",
      " mov.u32 %hsail_zero, %lanemask_eq; mov.u32 %hsail_before, %lanemask_lt; and.b32 %hsail_zero, "
      "%hsail_zero, %hsail_before;",
      "%hsail_zero"};
  if (bits == 32) return zero;
  zero.name = fmt::format("%hsail_zero{}", bits);
  zero.declarations += fmt::format(" .reg .b{} {};", bits, zero.name);
  zero.instructions += fmt::format(" cvt.u{}.u32 {}, %hsail_zero;", bits, zero.name);
  return zero;
}

/// Returns the instructions that copy the result to the second register.
std::string hiding(const Choice& choice) {
  const HiddenZero zero = hidden_zero(choice.bits);
  return fmt::format("\t{{{}{} xor.b{} {}, {}, {}; }}\n", zero.declarations, zero.instructions, choice.bits,
                     number_register(choice.result), choice.result, zero.name);
}

/// The beginning of a floating-point constant in PTX, its digits, and the bits of its type's exponent.
struct FloatForm {
  std::string_view prefix;
  size_t digits;
  uint64_t exponent;
};
constexpr FloatForm form32 = {" 0f", 8, 0x7f800000}, form64 = {" 0d", 16, 0x7ff0000000000000};

/// The canonical NaNs of f32 as LLVM prints them where it chooses among integers, and as numbers.
constexpr std::pair<std::string_view, std::string_view> canonical_nans[] = {{" 2143289344,", " 0f7FC00000,"},
                                                                            {" -4194304,", " 0fFFC00000,"}};

std::string with_canonical_nans_as_floats(std::string_view line) {
  std::string text(line);
  for (const auto& [integer, number] : canonical_nans)
    for (size_t at = text.find(integer); at != std::string::npos; at = text.find(integer, at + 1))
      text.replace(at, integer.size(), number);
  return text;
}

/// Returns a selp instruction so that ptxas keeps the bits of its NaNs. ptxas may change the bits of a NaN
/// that is selected as a floating-point value, and even where bits are selected it may simplify `isnan(x) ?
/// constant NaN : x` to x. An instruction with a NaN among its constants is therefore turned into a selection
/// of bits, and the NaN into a value that ptxas cannot infer. NaNs that LLVM prints as integers are found
/// only if they are in canonical_nans.
std::string with_bits_of_nans(std::string_view line, const Line& instruction) {
  const bool is_wide = instruction.mnemonic.ends_with("64");
  const FloatForm& form = is_wide ? form64 : form32;
  const HiddenZero zero = hidden_zero(is_wide ? 64 : 32);
  const std::string_view bits = is_wide ? "64" : "32";
  std::string text = is_wide ? std::string(line) : with_canonical_nans_as_floats(line), constants;
  unsigned nans = 0;
  for (size_t at = text.find(form.prefix); at != std::string::npos; at = text.find(form.prefix, at + 1)) {
    const std::string pattern = text.substr(at + 3, form.digits);
    if ((std::strtoull(pattern.c_str(), nullptr, 16) & (form.exponent | (form.exponent - 1))) <=
        form.exponent)
      continue;
    const std::string name = fmt::format("%hsail_nan{}", nans++);
    constants += fmt::format(" .reg .b{0} {1}; xor.b{0} {1}, {2}, 0x{3};", bits, name, zero.name, pattern);
    text.replace(at + 1, 2 + form.digits, name);
  }
  if (nans == 0) return text;
  for (size_t at = text.find(form.prefix); at != std::string::npos; at = text.find(form.prefix, at + 1))
    text[at + 2] = 'x';
  text[text.find(instruction.mnemonic) + 5] = 'b';
  return fmt::format("\t{{{}{}{}\n{}\n\t}}", zero.declarations, zero.instructions, constants, text);
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
    if (instruction && instruction->mnemonic.starts_with("selp.")) {
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
