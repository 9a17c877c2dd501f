// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/narrow_instructions.h"

#include <fmt/format.h>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

struct Row {
  std::string_view narrow, wide;
};
/// The low 16 bits of the results do not depend on how the operands are extended.
constexpr Row arithmetic[] = {
    {"add.s16", "add.s32"}, {"sub.s16", "sub.s32"}, {"mul.lo.s16", "mul.lo.s32"}, {"neg.s16", "neg.s32"}};

bool is_register(std::string_view operand) { return operand.starts_with('%'); }

/// The instruction that brings an operand, a register of 16 bits or a number, into one of 32 bits.
std::string widening(std::string_view to, std::string_view operand, bool is_signed) {
  if (is_register(operand))
    return fmt::format("cvt.{}16 {}, {};", is_signed ? "s32.s" : "u32.u", to, operand);
  return is_signed ? fmt::format("mov.b32 {}, {};", to, operand)
                   : fmt::format("and.b32 {0}, {1}, 65535;", to, operand);
}

/// The operands of an instruction, of which there are at most three.
struct Operands {
  std::string_view word[3];
  unsigned count = 0;
};

std::optional<Operands> operands_of(std::string_view text) {
  Operands operands;
  while (!text.empty()) {
    if (operands.count == 3) return std::nullopt;
    const size_t comma = std::min(text.find(", "), text.size());
    operands.word[operands.count++] = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return operands;
}

std::string both(const Operands& operands, bool is_signed) {
  std::string text =
      "\t{ .reg .b32 %hsail_left, %hsail_right; " + widening("%hsail_left", operands.word[1], is_signed);
  if (operands.count == 3) text += " " + widening("%hsail_right", operands.word[2], is_signed);
  return text;
}

const Row* arithmetic_row(std::string_view mnemonic) {
  for (const Row& row : arithmetic)
    if (row.narrow == mnemonic) return &row;
  return nullptr;
}

void append_line(std::string& out, std::string_view line) {
  const auto instruction = line.starts_with("\t@") ? std::nullopt : instruction_in(line);
  const auto operands = instruction ? operands_of(instruction->operands) : std::nullopt;
  if (!operands || operands->count < 2) {
    out += line;
    return;
  }
  if (const Row* row = arithmetic_row(instruction->mnemonic)) {
    const char* const second = operands->count == 3 ? ", %hsail_right" : "";
    out += fmt::format("{} {} %hsail_left, %hsail_left{}; cvt.u16.u32 {}, %hsail_left; }}",
                       both(*operands, true), row->wide, second, operands->word[0]);
    return;
  }
  const std::string_view mnemonic = instruction->mnemonic;
  const bool is_signed = mnemonic.ends_with(".s16");
  const bool is_comparison = mnemonic.starts_with("setp.") && operands->count == 3 &&
                             (is_signed || mnemonic.ends_with(".u16") || mnemonic.ends_with(".b16"));
  if (!is_comparison) {
    out += line;
    return;
  }
  out += fmt::format("{} {}32 {}, %hsail_left, %hsail_right; }}", both(*operands, is_signed),
                     mnemonic.substr(0, mnemonic.size() - 2), operands->word[0]);
}

}  // namespace

std::string with_wide_instructions(std::string_view ptx) { return with_each_line(ptx, append_line); }

}  // namespace heddle::finalizer::ptx
