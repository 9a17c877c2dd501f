// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <vector>

#include "hsail/isa/isa.h"

namespace heddle::isa {

/// Holds one value for each opcode of the instruction set, for example how it is executed or compiled. The
/// owner fills the table once and then only reads it. The size comes from the instruction set tables, so an
/// added opcode needs no change here. Not thread safe while it is being filled.
template <typename Value>
class OpcodeTable {
 public:
  OpcodeTable() : values_(instructions().size()) {}

  /// Returns the value of an opcode, to be set. Precondition: the instruction set has the opcode.
  Value& row(unsigned opcode) {
    assert(opcode < values_.size() && "a row for an opcode that no block of isa/*.isa describes");
    return values_[opcode];
  }

  /// Returns the value of an opcode, which may be any number from a module, or null if the instruction set
  /// has no such opcode.
  const Value* find(unsigned opcode) const { return opcode < values_.size() ? &values_[opcode] : nullptr; }

 private:
  std::vector<Value> values_;
};

}  // namespace heddle::isa
