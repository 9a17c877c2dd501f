// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/narrow_stores.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "finalizer/ptx/text_lines.h"

namespace heddle::finalizer::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The bits of the type with which a mnemonic such as `st.global.v2.b8` ends; 0 if it ends otherwise.
unsigned bits_stored(std::string_view mnemonic) {
  const size_t dot = mnemonic.rfind('.');
  if (dot == std::string_view::npos || dot + 2 > mnemonic.size()) return 0;
  unsigned bits = 0;
  std::from_chars(mnemonic.data() + dot + 2, mnemonic.data() + mnemonic.size(), bits);
  return bits;
}

/// The bits of a register by LLVM's name for it; 0 if it is none.
unsigned bits_of(std::string_view reg) {
  if (reg.starts_with("%rs")) return 16;
  if (reg.starts_with("%rd")) return 64;
  return reg.starts_with("%r") && reg.size() > 2 && is_digit(reg[2]) ? 32 : 0;
}

/// A store that becomes a block: the instructions that make the low bits, and its new operands.
struct Rewritten {
  std::string before, operands;
};

/// Appends a register, or what holds its low bits if it has more than are stored.
void append_operand(Rewritten& store, std::string_view reg, unsigned stored, unsigned number) {
  const unsigned bits = bits_of(reg);
  if (bits <= stored) {
    store.operands += reg;
    return;
  }
  const std::string part = fmt::format("%hsail_low{}", number);
  store.before +=
      fmt::format(".reg .b{0} {1}; and.b{0} {1}, {2}, {3}; ", bits, part, reg, (uint64_t{1} << stored) - 1);
  store.operands += part;
}

/// Rewrites the operands of a store, a register or several in braces.
Rewritten rewrite(std::string_view operands, unsigned stored) {
  Rewritten store;
  unsigned number = 0;
  for (size_t at = 0; at < operands.size();) {
    size_t end = at;
    while (end < operands.size() && std::string_view("{}, ").find(operands[end]) == std::string_view::npos)
      ++end;
    if (end == at) {
      store.operands += operands[at++];
      continue;
    }
    append_operand(store, operands.substr(at, end - at), stored, number++);
    at = end;
  }
  return store;
}

/// Appends a line, as a block if it stores the low bits of a register.
void append_line(std::string& out, std::string_view line) {
  const size_t mnemonic_at = line.find_first_not_of('\t');
  const size_t mnemonic_end = line.find_first_of(" \t", mnemonic_at);
  const size_t bracket = line.find("], ");
  const bool is_store =
      mnemonic_at != std::string_view::npos && line.substr(mnemonic_at).starts_with("st.") &&
      mnemonic_end != std::string_view::npos && bracket != std::string_view::npos && line.ends_with(';');
  const unsigned stored = is_store ? bits_stored(line.substr(mnemonic_at, mnemonic_end - mnemonic_at)) : 0;
  if (stored == 0 || stored > 32) {
    out += line;
    return;
  }
  const size_t operands_at = bracket + 3;
  const Rewritten store = rewrite(line.substr(operands_at, line.size() - 1 - operands_at), stored);
  if (store.before.empty())
    out += line;
  else
    out += fmt::format("\t{{ {}{}{}; }}", store.before, line.substr(mnemonic_at, operands_at - mnemonic_at),
                       store.operands);
}

}  // namespace

std::string with_explicit_low_bits(std::string_view ptx) { return with_each_line(ptx, append_line); }

}  // namespace heddle::finalizer::ptx
