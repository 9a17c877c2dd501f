// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hsail/assemble/lexer.h"
#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::assemble {

/// Maps the entries of an assembled module to positions in the text, so that errors found in the module can
/// be reported in terms of the text. Entries of hsa_code must be added in increasing order.
class SourceMap {
 public:
  /// Records that the entry of hsa_code at `code` begins at the token `at`. The last call for an entry
  /// counts.
  void add_entry(brig::Offset code, const Token& at) { add_operand_of(code, 0, at); }
  /// Records that an operand of the entry at `code`, or a part of this operand, begins at the token `at`.
  /// `operand` and `part` count from 1, as in Location; 0 is the entry or operand as a whole.
  void add_operand_of(brig::Offset code, uint32_t operand, const Token& at, uint32_t part = 0) {
    places_.push_back({code, operand, part, at.line, at.column, static_cast<uint32_t>(at.text.size())});
  }
  /// Records that the entry `operand` of hsa_operand was made from the token `at`. Equal operands share one
  /// entry, so the first call for an entry counts.
  void add_operand(brig::Offset operand, const Token& at) { operands_.try_emplace(operand, at.location()); }

  /// Returns the text position of a binary location: that of the part of the operand if it is known, else
  /// that of the operand, else that of the entry at or before the offset. Returns `binary` itself if none is
  /// known.
  Location find(const Location& binary) const;

 private:
  struct Place {
    brig::Offset code;
    uint32_t operand;  // 0: the entry as a whole
    uint32_t part;     // 0: the operand as a whole
    uint32_t line, column, length;
  };
  static unsigned exactness(const Place& place, const Location& wanted);

  std::vector<Place> places_;  // in the order of `code`
  std::unordered_map<brig::Offset, Location> operands_;
};

}  // namespace heddle::assemble
