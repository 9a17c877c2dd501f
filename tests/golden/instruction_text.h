// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "hsail/isa/isa.h"

namespace heddle::golden {

/// One instruction, as text and as what it must become.
struct Line {
  std::string text;  // as the disassembler writes it: canonical mnemonic, canonical operands
  isa::Fields fields;
};

/// Lines of one module, by where they can stand.
struct Lines {
  std::vector<Line> kernel;    // a kernel with the formals %k0 (b8[256]) and %k1
  std::vector<Line> function;  // a function: loads from its input %in, stores to its output %out
  std::vector<Line> calls;     // each in an arg block of its own with %o, %i
};

/// What the lines have shown of each table: the tables are covered when every value of every slot that some
/// instruction of some module may have is in it.
struct Coverage {
  std::vector<std::vector<std::vector<bool>>>
      seen;  // [variant][slot][value]; variants counted over all instructions
  std::vector<std::vector<unsigned>>
      choices;                // [variant][operand]: how many of its choices have been written
  std::vector<bool> written;  // [variant]
};

/// Every variant of every instruction that the environment allows, with every combination of its types,
/// operations, segments, orders and scopes; with each of them every value of its other modifiers, one at a
/// time; and all kinds of operands in all places.
Lines every_instruction(const isa::Environment& environment, Coverage& coverage);

/// The lines as a module that holds everything they name.
std::string module_text(const Lines& lines, const isa::Environment& environment);

}  // namespace heddle::golden
