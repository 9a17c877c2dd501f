// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/isa.h"

#include <algorithm>

#include "hsail/isa/codec.h"
#include "hsail/isa/tables.h"

namespace heddle::isa {

std::string_view text(Text text) { return {tables::pool + text.offset, text.length}; }

const ValueSet& value_set(uint16_t index) { return tables::value_sets[index]; }

std::span<const Instruction> instructions() { return tables::instructions; }

const Instruction* instruction(unsigned opcode) {
  // The generator rejects opcodes that are not numbered from 0 without gaps.
  return opcode < std::size(tables::instructions) ? &tables::instructions[opcode] : nullptr;
}

Convergence convergence(unsigned opcode) {
  const Instruction* found = instruction(opcode);
  return found == nullptr ? Convergence::none : found->convergence;
}

MemoryEffect memory_effect(unsigned opcode) {
  const Instruction* found = instruction(opcode);
  return found == nullptr ? MemoryEffect::none : found->memory;
}

const ControlDirective* control_directive(unsigned control) {
  // 0 is HSA_BRIG_CONTROL_DIRECTIVE_NONE. The generator rejects gaps from 1 on.
  const bool known = control >= 1 && control <= std::size(tables::control_directives);
  return known ? &tables::control_directives[control - 1] : nullptr;
}

const ImageGeometry* image_geometry(unsigned geometry) {
  return geometry < std::size(tables::image_geometries) ? &tables::image_geometries[geometry] : nullptr;
}

const Instruction* instruction(std::string_view mnemonic) {
  const auto spelled = [](uint16_t opcode) { return text(tables::instructions[opcode].mnemonic); };
  const auto found = std::ranges::lower_bound(tables::mnemonic_order, mnemonic, {}, spelled);
  if (found == std::end(tables::mnemonic_order) || spelled(*found) != mnemonic) return nullptr;
  return &tables::instructions[*found];
}

std::span<const Variant> variants(const Instruction& instruction) {
  return tables::slice(tables::variants, instruction.variants);
}
std::span<const Slot> slots(const Variant& variant) { return tables::slice(tables::slots, variant.slots); }
std::span<const Operand> operands(const Variant& variant) {
  return tables::slice(tables::operands, variant.operands);
}
std::span<const Implied> implied(const Variant& variant) {
  return tables::slice(tables::implied, variant.implied);
}
std::span<const Rule> rules(const Variant& variant) { return tables::slice(tables::rules, variant.rules); }

Type operand_type(const Operand& operand, const Fields& fields) {
  switch (operand.type_rule) {
    case OperandType::none:
      return HSA_BRIG_TYPE_NONE;
    case OperandType::type:
      return fields.type();
    case OperandType::source_type:
      return fields.source_type();
    case OperandType::coord_type:
      return fields[Field::coord_type];
    case OperandType::fixed:
      return operand.fixed_type;
    case OperandType::unsigned_type:
      return as_unsigned(fields.type());
  }
  return HSA_BRIG_TYPE_NONE;
}

unsigned operand_elements(const Operand& operand, const Fields& fields) {
  return operand.count_rule == OperandCount::vector ? fields[Field::vector] : operand.elements;
}

bool accepts_wavesize(const Operand& operand, const Fields& fields) {
  if (operand.kind != OperandKind::source) return false;
  const Type type = operand_type(operand, fields);
  return is_integer(type) || (is_bit(type) && type != HSA_BRIG_TYPE_B1 && type != HSA_BRIG_TYPE_B128);
}

bool accepts_register(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::destination:
    case OperandKind::source:
    case OperandKind::source_register:
    case OperandKind::fbarrier_or_source:
      return true;
    default:
      return false;
  }
}

bool accepts_immediate(const Operand& operand) {
  return operand.kind == OperandKind::source || operand.kind == OperandKind::constant;
}

int vector_operand(unsigned opcode) {
  const Instruction* found = instruction(opcode);
  if (found == nullptr) return -1;
  for (const Variant& variant : variants(*found)) {
    const auto list = operands(variant);
    const auto vector = std::ranges::find(list, OperandCount::vector, &Operand::count_rule);
    if (vector != list.end()) return static_cast<int>(vector - list.begin());
  }
  return -1;
}

Fields default_fields(const Variant& variant) {
  Fields fields;
  fields.opcode = variant.opcode;
  fields.kind = variant.kind;
  fields[Field::vector] = 1;
  for (const Slot& slot : slots(variant)) {
    if (slot.form != SlotForm::literal) fields[slot.field] = slot.optional ? slot.default_value : 0;
  }
  for (const Implied& entry : implied(variant)) fields[entry.field] = entry.value;
  return fields;
}

void complete(const Variant& variant, Fields& fields) {
  bool has_vector = false;
  for (const Slot& slot : slots(variant)) {
    if (slot.form == SlotForm::literal) continue;
    has_vector = has_vector || slot.field == Field::vector;
    if (slot.optional && slot.field != Field::vector && !format_has(fields.kind, slot.field)) {
      fields[slot.field] = slot.default_value;
    }
  }
  if (!has_vector) fields[Field::vector] = 1;
}

void canonicalize(const Variant& variant, Fields& fields) {
  fields.kind = variant.kind;
  if (!variant.basic_if_default) return;
  for (const Slot& slot : slots(variant)) {
    if (slot.optional && fields[slot.field] != slot.default_value) return;
  }
  fields.kind = HSA_BRIG_KIND_INST_BASIC;
}

}  // namespace heddle::isa
