// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/debug/endings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <llvm/ADT/BitVector.h>

namespace heddle::compiler {

namespace {

using Form = Instruction::Form;

struct Register {
  RegisterKind kind;
  uint32_t number;
  auto operator<=>(const Register&) const = default;
};

/// A piece of a variable in a register, as a reference says.
struct Holding {
  DebugPiece piece;
  Register reg;
};

bool overlaps(const DebugPiece& a, const DebugPiece& b) {
  if (a.variable != b.variable) return false;
  return a.size == 0 || b.size == 0 || (a.offset < b.offset + b.size && b.offset < a.offset + a.size);
}

/// Finds out where registers may hold variables, and ends these there. A holding is in force at a place if a
/// path leads there from its reference, without another reference to the same bits of the variable and
/// without a definition of the register.
class Ender {
 public:
  explicit Ender(Code& code) : code_(code) {}

  void run() {
    collect();
    if (holdings_.empty()) return;
    flow();
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) rewrite(block);
  }

 private:
  void collect() {
    std::map<std::tuple<uint64_t, uint64_t, uint64_t, Register>, size_t> known;
    for (const Block& block : code_.blocks) {
      for (const Instruction& instruction : block.instructions) {
        if (!names_register(instruction)) continue;
        const DebugPiece& piece = piece_of(instruction);
        const Register reg = register_of(instruction.operands[0]);
        const auto key = std::tuple(piece.variable, piece.offset, piece.size, reg);
        if (!known.try_emplace(key, holdings_.size()).second) continue;
        in_register_[reg].push_back(holdings_.size());
        of_variable_[piece.variable].push_back(holdings_.size());
        holdings_.push_back({piece, reg});
      }
    }
  }

  void flow() {
    entries_.assign(code_.blocks.size(), llvm::BitVector(static_cast<unsigned>(holdings_.size())));
    std::set<uint32_t> work;
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) work.insert(block);
    while (!work.empty()) {
      const uint32_t block = *work.begin();
      work.erase(work.begin());
      llvm::BitVector state = entries_[block];
      for (const Instruction& instruction : code_.blocks[block].instructions) apply(instruction, state);
      for (const uint32_t successor : code_.blocks[block].successors) {
        if (!state.test(entries_[successor])) continue;
        entries_[successor] |= state;
        work.insert(successor);
      }
    }
  }

  void apply(const Instruction& instruction, llvm::BitVector& state) const {
    if (instruction.form == Form::reference) {
      const DebugPiece& piece = piece_of(instruction);
      const auto known = of_variable_.find(piece.variable);
      if (known == of_variable_.end()) return;
      for (const size_t index : known->second) {
        if (!overlaps(holdings_[index].piece, piece)) continue;
        const bool begins = names_register(instruction) && holdings_[index].piece == piece &&
                            holdings_[index].reg == register_of(instruction.operands[0]);
        begins ? state.set(static_cast<unsigned>(index)) : state.reset(static_cast<unsigned>(index));
      }
      return;
    }
    for_overwritten(instruction, state, [&](size_t index) { state.reset(static_cast<unsigned>(index)); });
  }

  template <typename Function>
  void for_overwritten(const Instruction& instruction, const llvm::BitVector& state,
                       Function function) const {
    if (is_copy_to_itself(instruction)) return;
    for (const Operand& operand : instruction.operands) {
      if (!operand.defines()) continue;
      const auto held = in_register_.find(register_of(operand));
      if (held == in_register_.end()) continue;
      for (const size_t index : held->second)
        if (state.test(static_cast<unsigned>(index))) function(index);
    }
  }

  void rewrite(uint32_t block) {
    llvm::BitVector state = entries_[block];
    std::vector<Instruction> rewritten;
    rewritten.reserve(code_.blocks[block].instructions.size());
    for (Instruction& instruction : code_.blocks[block].instructions) {
      for_overwritten(instruction, state, [&](size_t index) {
        Instruction end;
        end.mnemonic = holdings_[index].piece.end;
        end.form = Form::reference;
        end.operands.push_back(Operand::debug_piece(static_cast<uint32_t>(code_.debug_pieces.size())));
        code_.debug_pieces.push_back(holdings_[index].piece);
        rewritten.push_back(std::move(end));
      });
      apply(instruction, state);
      rewritten.push_back(std::move(instruction));
    }
    code_.blocks[block].instructions = std::move(rewritten);
  }

  static bool names_register(const Instruction& instruction) {
    return instruction.form == Form::reference && instruction.operands.size() == 2;
  }
  static Register register_of(const Operand& operand) {
    return {register_kind(operand.type), operand.number};
  }
  const DebugPiece& piece_of(const Instruction& reference) const {
    return code_.debug_pieces[reference.operands.back().number];
  }

  Code& code_;
  std::vector<Holding> holdings_;
  std::map<Register, std::vector<size_t>> in_register_;  // indices of holdings
  std::map<uint64_t, std::vector<size_t>> of_variable_;  // the same
  std::vector<llvm::BitVector> entries_;                 // by block: which holdings may be in force
};

}  // namespace

void end_undefined_variables(Code& code) {
  if (code.debug_pieces.empty()) return;
  std::vector<bool> defined(code.registers.size());
  for (const Block& block : code.blocks) {
    for (const Instruction& instruction : block.instructions) {
      for (const Operand& operand : instruction.operands)
        if (operand.defines()) defined[operand.number] = true;
    }
  }
  for (Block& block : code.blocks) {
    for (Instruction& instruction : block.instructions) {
      if (instruction.form == Form::reference && instruction.operands[0].uses() &&
          !defined[instruction.operands[0].number])
        end_variable(code, instruction);
    }
  }
}

void end_overwritten_variables(Code& code) {
  if (!code.debug_pieces.empty()) Ender(code).run();
}

}  // namespace heddle::compiler
