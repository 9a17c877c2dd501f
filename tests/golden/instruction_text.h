// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "hsail/isa/isa.h"

namespace heddle::golden {

/// One instruction, as text and as the fields that it must have in BRIG.
struct Line {
  std::string text;  // as the disassembler writes it: canonical mnemonic, canonical operands
  isa::Fields fields;
};

/// Lines of one module, by the place where they are legal.
struct Lines {
  std::vector<Line> kernel;    // a kernel with the formals %k0 (b8[256]) and %k1
  std::vector<Line> function;  // a function, for loads from its input %in and stores to its output %out
  std::vector<Line> calls;     // each in an arg block of its own with %o, %i
};

/// The parts of the tables that the lines have shown. The tables are covered when this contains every value
/// of every slot that some instruction of some module may have.
struct Coverage {
  std::vector<std::vector<std::vector<bool>>>
      seen;  // [variant][slot][value]; variants counted over all instructions
  std::vector<std::vector<unsigned>>
      choices;                // [variant][operand]: how many of its choices have been written
  std::vector<bool> written;  // [variant]
};

/// Returns every variant of every instruction that the environment allows, with every combination of its
/// types, operations, segments, orders and scopes. Each of these combinations also occurs with every value of
/// its other modifiers, one at a time. All kinds of operands occur wherever they are legal.
Lines every_instruction(const isa::Environment& environment, Coverage& coverage);

/// Returns a module with the lines and with everything that they name.
std::string module_text(const Lines& lines, const isa::Environment& environment);

}  // namespace heddle::golden
