// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/registers/spill.h"

#include <set>

#include <fmt/format.h>

namespace heddle::compiler {

namespace {

class Spiller {
 public:
  Spiller(Code& code, Text& text, const std::vector<uint32_t>& slots)
      : code_(code), text_(text), slots_(slots) {}

  void run() {
    for (Block& block : code_.blocks) {
      std::vector<Instruction> rewritten;
      rewritten.reserve(block.instructions.size());
      for (Instruction& instruction : block.instructions) rewrite(std::move(instruction), rewritten);
      block.instructions = std::move(rewritten);
    }
  }

 private:
  void rewrite(Instruction instruction, std::vector<Instruction>& out) {
    if (instruction.form == Instruction::Form::reference) {
      // The variable of a register may hold several values one after the other.
      const Operand& named = instruction.operands[0];
      if (named.uses() && named.number < slots_.size() && slots_[named.number] != no_slot)
        end_variable(code_, instruction);
      out.push_back(std::move(instruction));
      return;
    }
    std::vector<Instruction> stores;
    for (Operand& operand : instruction.operands) {
      if (!(operand.uses() || operand.defines()) || operand.number >= slots_.size()) continue;
      const uint32_t slot = slots_[operand.number];
      if (slot == no_slot) continue;
      const RegisterKind kind = code_.registers[operand.number];
      operand.number = code_.add_register(kind);
      if (operand.uses()) load(operand.number, kind, slot, out);
      if (operand.defines()) store(operand.number, kind, slot, stores);
    }
    out.push_back(std::move(instruction));
    out.insert(out.end(), stores.begin(), stores.end());
  }

  // c registers have no memory type (PRM 4.13): their values are kept as 0 and 1.
  void load(RegisterId id, RegisterKind kind, uint32_t slot, std::vector<Instruction>& out) {
    const Type type = kind == RegisterKind::d ? Type::u64 : Type::u32;
    const RegisterId loaded = kind == RegisterKind::c ? code_.add_register(RegisterKind::s) : id;
    out.push_back(make("ld", type, {Operand::definition(loaded, type), address(slot, type)}));
    if (kind != RegisterKind::c) return;
    Instruction test;
    test.mnemonic = text_.keep("cmp_ne_b1_u32");
    test.operands = {Operand::definition(id, Type::b1), Operand::use(loaded, type),
                     Operand::immediate(0, type)};
    out.push_back(std::move(test));
  }

  void store(RegisterId id, RegisterKind kind, uint32_t slot, std::vector<Instruction>& out) {
    const Type type = kind == RegisterKind::d ? Type::u64 : Type::u32;
    RegisterId stored = id;
    if (kind == RegisterKind::c) {
      stored = code_.add_register(RegisterKind::s);
      Instruction widen;
      widen.mnemonic = text_.keep("cvt_u32_b1");
      widen.operands = {Operand::definition(stored, type), Operand::use(id, Type::b1)};
      out.push_back(std::move(widen));
    }
    out.push_back(make("st", type, {Operand::use(stored, type), address(slot, type)}));
  }

  Instruction make(std::string_view stem, Type type, std::initializer_list<Operand> operands) {
    Instruction instruction;
    instruction.mnemonic = text_.keep(fmt::format("{}_spill_align({})_{}", stem, bits(type) / 8, name(type)));
    instruction.operands = operands;
    return instruction;
  }

  Operand address(uint32_t slot, Type type) {
    const llvm::StringRef variable = text_.keep(fmt::format("%spill{}", slot));
    if (defined_.insert(slot).second)
      code_.definitions.push_back(fmt::format("spill_{} {}", name(type), variable.str()));
    return Operand::address(variable, no_register, Type::u32, 0);
  }

  Code& code_;
  Text& text_;
  const std::vector<uint32_t>& slots_;
  std::set<uint32_t> defined_;
};

}  // namespace

void spill(Code& code, Text& text, const std::vector<uint32_t>& slots) { Spiller(code, text, slots).run(); }

}  // namespace heddle::compiler
