// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/kept_halves.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "finalizer/ptx/packed_halves.h"
#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

constexpr std::string_view upper_mask = "-4294967296", lower_mask = "4294967295";

/// The operands of an instruction that has up to three of them.
struct Operands {
  std::string_view result, first, second;
};

Operands operands_of(const Line& line) {
  std::string_view rest = line.operands;
  const auto next = [&] {
    const size_t end = std::min(rest.find(", "), rest.size());
    return std::exchange(rest, rest.substr(std::min(end + 2, rest.size()))).substr(0, end);
  };
  const std::string_view result = next(), first = next();
  return {result, first, rest};
}

/// The instructions that copy a half to a new register. ptxas would see through a move.
std::string copy_to(std::string_view name, std::string_view half) {
  return fmt::format(" .reg .b32 {0}; prmt.b32 {0}, {1}, {1}, 0x3210;", name, half);
}

/// One function of PTX, or what is between two of them.
class Function {
 public:
  explicit Function(std::vector<std::string_view> lines) : lines_(std::move(lines)) {
    for_each_instruction([&](const Line& line) {
      look_at_results(line);
      if (line.mnemonic == "or.b64") look_at_or(operands_of(line));
    });
    for_each_instruction([&](const Line& line) {
      if (line.mnemonic == "shl.b64") look_at_shift(operands_of(line));
    });
  }

  void append_to(std::string& out) const {
    for (const std::string_view line : lines_) {
      // A block cannot have a predicate.
      const auto instruction = line.starts_with("\t@") ? std::nullopt : instruction_in(line);
      if (!instruction || !append_with_copies(out, *instruction)) out += line;
      out += '\n';
    }
  }

 private:
  struct Register {
    unsigned writes = 0;
    bool was_lower = false, was_upper = false;  ///< the half of a value that it has been taken out of
    bool is_lower = false, is_upper = false;    ///< the half of a value that `or` puts it into
    bool is_upper_of_other = false;             ///< shifted to the lower half
  };

  template <typename Look>
  void for_each_instruction(Look look) const {
    for (const std::string_view line : lines_)
      if (const auto instruction = instruction_in(line)) look(*instruction);
  }

  void look_at_results(const Line& line) {
    if (!line.operands.starts_with('['))  // an address is no result
      for_each_register(line.operands.substr(0, end_of_destination(line.operands)),
                        [&](size_t, std::string_view reg) { ++registers_[reg].writes; });
    const Operands operands = operands_of(line);
    if (line.mnemonic == "shr.u64" && operands.second == "32")
      registers_[operands.result].is_upper_of_other = true;
    if (line.mnemonic == "cvt.u32.u64") look_at_lower(operands.result, operands.first);
    if (const auto halves = taken_apart(line, "mov.b64")) {
      look_at_lower(halves->lower, halves->word);
      registers_[halves->upper].was_upper = true;
    }
  }

  void look_at_lower(std::string_view half, std::string_view value) {
    registers_[half].was_lower = true;
    if (is(value, &Register::is_upper_of_other)) registers_[half].was_upper = true;
  }

  void look_at_or(const Operands& operands) {
    registers_[operands.first].is_lower = true;
    registers_[operands.second].is_lower = true;
  }

  void look_at_shift(const Operands& operands) {
    if (operands.second == "32" && is(operands.result, &Register::is_lower))
      registers_[operands.first].is_upper = true;
  }

  bool is(std::string_view reg, bool Register::* property) const {
    const auto found = registers_.find(reg);
    return found != registers_.end() && found->second.*property;
  }

  /// Whether a register of 32 bits is always the same half. One that is written several times is merged with
  /// others, and what is merged in 32 bits ptxas does not lose.
  bool is_half(std::string_view reg, bool Register::* was) const {
    return is(reg, was) && registers_.at(reg).writes == 1;
  }

  /// Returns whether it has appended the instruction, as a block with a copy of each half that it keeps.
  bool append_with_copies(std::string& out, const Line& line) const {
    if (line.mnemonic == "and.b64") return append_mask(out, operands_of(line));
    if (line.mnemonic == "cvt.u64.u32") return append_extension(out, operands_of(line));
    const auto halves = put_together(line, "mov.b64");
    return halves && append_packing(out, *halves);
  }

  /// A mask whose result has only been compared keeps nothing: LLVM divides values of 64 bits as 32 if the
  /// upper halves are 0.
  bool append_mask(std::string& out, const Operands& operands) const {
    const bool keeps_upper = operands.second == upper_mask;
    if (!is(operands.result, &Register::is_lower) || (!keeps_upper && operands.second != lower_mask))
      return false;
    out += fmt::format("\t{{ .reg .b32 %hsail_half; mov.b64 {}, {};{} mov.b64 {}, {}; }}",
                       keeps_upper ? "{_, %hsail_half}" : "{%hsail_half, _}", operands.first,
                       copy_to("%hsail_kept", "%hsail_half"), operands.result,
                       keeps_upper ? "{0, %hsail_kept}" : "{%hsail_kept, 0}");
    return true;
  }

  /// Half of a value that is extended to be put back by `or`, the upper one behind a shift.
  bool append_extension(std::string& out, const Operands& operands) const {
    const bool keeps_lower =
        is(operands.result, &Register::is_lower) && is_half(operands.first, &Register::was_lower);
    const bool keeps_upper =
        is(operands.result, &Register::is_upper) && is_half(operands.first, &Register::was_upper);
    if (!keeps_lower && !keeps_upper) return false;
    out += fmt::format("\t{{{} cvt.u64.u32 {}, %hsail_kept; }}", copy_to("%hsail_kept", operands.first),
                       operands.result);
    return true;
  }

  bool append_packing(std::string& out, const Halves& halves) const {
    const bool keeps_lower = is_half(halves.lower, &Register::was_lower);
    const bool keeps_upper = is_half(halves.upper, &Register::was_upper);
    if (!keeps_lower && !keeps_upper) return false;
    out += fmt::format(
        "\t{{{}{} mov.b64 {}, {{{}, {}}}; }}", keeps_lower ? copy_to("%hsail_lower", halves.lower) : "",
        keeps_upper ? copy_to("%hsail_upper", halves.upper) : "", halves.word,
        keeps_lower ? "%hsail_lower" : halves.lower, keeps_upper ? "%hsail_upper" : halves.upper);
    return true;
  }

  std::vector<std::string_view> lines_;
  std::unordered_map<std::string_view, Register> registers_;
};

}  // namespace

std::string with_kept_halves_copied(std::string_view ptx) {
  return with_each_function(ptx, [](std::string& out, std::vector<std::string_view> lines) {
    Function(std::move(lines)).append_to(out);
  });
}

}  // namespace heddle::finalizer::ptx
