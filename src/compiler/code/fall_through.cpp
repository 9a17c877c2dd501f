// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code/fall_through.h"

#include <algorithm>
#include <optional>

#include <llvm/ADT/ArrayRef.h>

#include "compiler/code/text.h"

namespace heddle::compiler {

namespace {

struct Opposite {
  llvm::StringLiteral one;
  llvm::StringLiteral other;
};

// Of comparisons of integers and bits, and of floating-point numbers, where NaN makes the difference
// (PRM 5.18).
constexpr Opposite of_integers[] = {{"eq", "ne"}, {"lt", "ge"}, {"gt", "le"}};
constexpr Opposite of_reals[] = {{"eq", "neu"}, {"ne", "equ"}, {"lt", "geu"}, {"ge", "ltu"},
                                 {"gt", "leu"}, {"le", "gtu"}, {"num", "nan"}};

std::optional<llvm::StringRef> opposite(llvm::StringRef operation, bool real) {
  const auto rows = real ? llvm::ArrayRef<Opposite>(of_reals) : llvm::ArrayRef<Opposite>(of_integers);
  for (const Opposite& row : rows) {
    if (operation == row.one) return row.other;
    if (operation == row.other) return row.one;
  }
  return std::nullopt;
}

// cmp_OPERATION_b1_TYPE with the opposite operation.
std::optional<std::string> opposite_comparison(llvm::StringRef mnemonic) {
  if (!mnemonic.consume_front("cmp_")) return std::nullopt;
  const auto [operation, types] = mnemonic.split('_');
  const auto other = opposite(operation, types.starts_with("b1_f"));
  if (!other || !types.starts_with("b1_")) return std::nullopt;
  return ("cmp_" + *other + "_" + types).str();
}

bool is_conditional(const Instruction& instruction) {
  return instruction.form == Instruction::Form::branch && instruction.operands.size() == 2 &&
         instruction.operands[0].kind == Operand::Kind::use &&
         instruction.operands[1].kind == Operand::Kind::label;
}

bool is_unconditional(const Instruction& instruction) {
  return instruction.form == Instruction::Form::branch && instruction.operands.size() == 1;
}

bool defines(const Instruction& instruction, RegisterId id, Type type) {
  return std::ranges::any_of(instruction.operands, [&](const Operand& operand) {
    return operand.defines() && operand.number == id && register_kind(operand.type) == register_kind(type);
  });
}

// The instruction that gives a register its value for the end of the block, or null.
Instruction* last_definition(Block& block, RegisterId id, Type type) {
  for (Instruction& instruction : llvm::reverse(block.instructions))
    if (defines(instruction, id, type)) return &instruction;
  return nullptr;
}

void turn_round(Code& code, Text& text, uint32_t number) {
  Block& block = code.blocks[number];
  const size_t size = block.instructions.size();
  if (size < 3) return;
  Instruction& branch = block.instructions[size - 2];
  const Instruction& last = block.instructions[size - 1];
  if (!is_conditional(branch) || !is_unconditional(last)) return;
  if (branch.operands[1].number != number + 1 || last.operands[0].number == number + 1) return;
  Instruction* comparison = last_definition(block, branch.operands[0].number, Type::b1);
  if (comparison == nullptr || !comparison->for_branch) return;
  const auto other = opposite_comparison(comparison->mnemonic);
  if (!other) return;
  comparison->mnemonic = text.keep(*other);
  branch.operands[1].number = last.operands[0].number;
  block.instructions.back().operands[0].number = number + 1;
}

}  // namespace

void mark_branch_conditions(Code& code) {
  std::vector<uint32_t> uses(code.registers.size());
  std::vector<uint32_t> definitions(code.registers.size());
  for (const Block& block : code.blocks) {
    for (const Instruction& instruction : block.instructions) {
      for (const Operand& operand : instruction.operands) {
        if (operand.uses()) ++uses[operand.number];
        if (operand.defines()) ++definitions[operand.number];
      }
    }
  }
  for (Block& block : code.blocks) {
    const auto branch = std::ranges::find_if(block.instructions, is_conditional);
    if (branch == block.instructions.end()) continue;
    const RegisterId condition = branch->operands[0].number;
    if (uses[condition] != 1 || definitions[condition] != 1) continue;
    if (Instruction* comparison = last_definition(block, condition, Type::b1)) comparison->for_branch = true;
  }
}

void fall_through(Code& code, Text& text) {
  for (uint32_t number = 0; number + 1 < code.blocks.size(); ++number) turn_round(code, text, number);
}

}  // namespace heddle::compiler
