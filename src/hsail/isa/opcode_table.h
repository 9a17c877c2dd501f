// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <vector>

#include "hsail/isa/isa.h"

namespace heddle::isa {

/// One value for each opcode of the instruction set: how it is executed, or compiled. A program fills it from
/// rows of its own once and reads it then; as many values as the instruction set has instructions, so that an
/// added opcode needs no change here. Not thread safe while it is filled.
template <typename Value>
class OpcodeTable {
 public:
  OpcodeTable() : values_(instructions().size()) {}

  /// Of a row. Precondition: the instruction set has the opcode.
  Value& row(unsigned opcode) {
    assert(opcode < values_.size() && "a row for an opcode that no block of isa/*.isa describes");
    return values_[opcode];
  }

  /// Of any number, also one from a module: null if the instruction set has no such opcode.
  const Value* find(unsigned opcode) const { return opcode < values_.size() ? &values_[opcode] : nullptr; }

 private:
  std::vector<Value> values_;
};

}  // namespace heddle::isa
