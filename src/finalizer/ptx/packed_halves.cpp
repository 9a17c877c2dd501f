// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/packed_halves.h"

#include <fmt/format.h>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

/// A word that `mov.b32 WORD, {LOWER, UPPER}` puts together.
struct Packing {
  std::string_view word, lower, upper;
};

std::optional<Packing> packing_in(std::string_view line) {
  const auto instruction = instruction_in(line);
  if (!instruction || instruction->mnemonic != "mov.b32") return std::nullopt;
  const std::string_view operands = instruction->operands;
  const size_t open = operands.find(", {");
  const size_t comma = open == std::string_view::npos ? open : operands.find(", ", open + 3);
  const bool is_packing =
      comma != std::string_view::npos && operands.ends_with('}') && operands.starts_with('%');
  if (!is_packing) return std::nullopt;
  return Packing{operands.substr(0, open), operands.substr(open + 3, comma - open - 3),
                 operands.substr(comma + 2, operands.size() - comma - 3)};
}

/// The instruction that brings a half, a register or a number, into a register of 32 bits.
std::string widening(const char* to, std::string_view half) {
  return fmt::format("{} {}, {};", half.starts_with('%') ? "cvt.u32.u16" : "mov.b32", to, half);
}

void append_line(std::string& out, std::string_view line) {
  const auto packing = packing_in(line);
  if (!packing) {
    out += line;
    return;
  }
  out += fmt::format(
      "\t{{ .reg .b32 %hsail_lower, %hsail_upper; {} {} prmt.b32 {}, %hsail_lower, %hsail_upper, 0x5410; }}",
      widening("%hsail_lower", packing->lower), widening("%hsail_upper", packing->upper), packing->word);
}

}  // namespace

std::string with_halves_packed_by_bytes(std::string_view ptx) { return with_each_line(ptx, append_line); }

}  // namespace heddle::finalizer::ptx
