// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code/dead_code.h"

#include <algorithm>

namespace heddle::compiler {

namespace {

class Remover {
 public:
  explicit Remover(Code& code)
      : code_(code), uses_(code.registers.size()), definers_(code.registers.size()) {}

  void run() {
    collect();
    std::vector<Instruction*> work;
    for (Block& block : code_.blocks) {
      for (Instruction& instruction : block.instructions) {
        if (is_dead(instruction)) work.push_back(&instruction);
      }
    }
    while (!work.empty()) {
      Instruction* dead = work.back();
      work.pop_back();
      if (!is_dead(*dead)) continue;
      release(*dead, work);
    }
    for (Block& block : code_.blocks) {
      std::erase_if(block.instructions, [](const Instruction& i) { return i.mnemonic.empty(); });
    }
  }

 private:
  void collect() {
    for (Block& block : code_.blocks) {
      for (Instruction& instruction : block.instructions) {
        // That debuggers could show a value is no reason to compute it.
        if (instruction.form == Instruction::Form::reference) continue;
        for (const Operand& operand : instruction.operands) {
          if (operand.uses()) ++uses_[operand.number];
          if (operand.defines()) definers_[operand.number].push_back(&instruction);
        }
      }
    }
  }

  bool is_dead(const Instruction& instruction) const {
    return instruction.removable && !instruction.mnemonic.empty() &&
           std::ranges::none_of(instruction.operands, [&](const Operand& operand) {
             return operand.defines() && uses_[operand.number] != 0;
           });
  }

  // Marks the instruction as removed, and adds those to `work` that may be dead now.
  void release(Instruction& dead, std::vector<Instruction*>& work) {
    for (const Operand& operand : dead.operands) {
      if (operand.uses() && --uses_[operand.number] == 0) {
        work.insert(work.end(), definers_[operand.number].begin(), definers_[operand.number].end());
      }
    }
    dead.mnemonic = {};
  }

  Code& code_;
  std::vector<uint32_t> uses_;                                // by register
  std::vector<llvm::SmallVector<Instruction*, 1>> definers_;  // by register; phis have several
};

}  // namespace

void remove_dead_code(Code& code) { Remover(code).run(); }

}  // namespace heddle::compiler
