// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that says how the interpreter executes each instruction.
#include <gtest/gtest.h>

#include "hsail/isa/names.h"
#include "interpreter/op.h"

namespace heddle::interpreter {
namespace {

bool executes(unsigned opcode) {
  for (const Kind kind : {Kind::bit, Kind::floating}) {
    Op op;
    op.opcode = static_cast<uint16_t>(opcode);
    op.shape.kind = kind;
    select(op);
    if (is_supported(op)) return true;
  }
  return false;
}

TEST(InterpreterTable, HasEachInstruction) {
  for (unsigned opcode = 0; opcode < isa::instructions().size(); ++opcode)
    EXPECT_TRUE(executes(opcode)) << isa::opcode_name(opcode);
}

TEST(InterpreterTable, HasNothingElse) {
  EXPECT_FALSE(executes(static_cast<unsigned>(isa::instructions().size())));
  EXPECT_FALSE(executes(UINT16_MAX));
}

/// The interpreter executes an instruction for all lanes of a wavefront together if the instruction set says
/// so.
TEST(InterpreterTable, TakesTheLanesTogetherWhereTheInstructionSetSaysSo) {
  const auto collective = [](std::string_view mnemonic) {
    Op op;
    op.opcode = *isa::opcode_value(mnemonic);
    select(op);
    return op.collective;
  };
  for (const char* mnemonic : {"activelanecount", "activelaneid", "activelanemask", "activelanepermute",
                               "waitfbar", "joinfbar", "wavebarrier"})
    EXPECT_TRUE(collective(mnemonic)) << mnemonic;
  for (const char* mnemonic : {"barrier", "laneid", "atomic", "initfbar", "call", "mov"})
    EXPECT_FALSE(collective(mnemonic)) << mnemonic;
}

}  // namespace
}  // namespace heddle::interpreter
