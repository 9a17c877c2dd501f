// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hsail/assemble/lexer.h"
#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::assemble {

/// Where in the text the entries of an assembled module come from, so that what the checks of the module find
/// can be told at the text. Entries of hsa_code must be added in their order.
class SourceMap {
 public:
  /// The entry of hsa_code at `code` begins at this token; if it is told again, the last one counts.
  void add_entry(brig::Offset code, const Token& at) { add_operand_of(code, 0, at); }
  /// An operand of that entry, counted as in Location::operand.
  void add_operand_of(brig::Offset code, uint32_t operand, const Token& at) {
    places_.push_back({code, operand, at.line, at.column, static_cast<uint32_t>(at.text.size())});
  }
  /// An entry of hsa_operand. Equal ones are shared: the first place counts.
  void add_operand(brig::Offset operand, const Token& at) { operands_.try_emplace(operand, at.location()); }

  /// The text position of a binary location: of the operand, or else of the entry at or before the offset.
  /// The location itself if nothing is known of it.
  Location find(const Location& binary) const;

 private:
  struct Place {
    brig::Offset code;
    uint32_t operand;  // 0: the entry as a whole
    uint32_t line, column, length;
  };
  std::vector<Place> places_;  // in the order of `code`
  std::unordered_map<brig::Offset, Location> operands_;
};

}  // namespace heddle::assemble
