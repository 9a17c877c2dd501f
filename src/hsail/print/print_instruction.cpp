// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions (PRM 19.2): the mnemonic from the instruction set tables, operands in the order of the text.
#include <algorithm>
#include <cstring>

#include "hsail/print/printer.h"

namespace heddle::print {
namespace {

/// Operands that are written without a comma before or after them: argument lists, targets, signatures.
bool stands_alone(isa::OperandKind kind) {
  switch (kind) {
    case isa::OperandKind::output_arguments:
    case isa::OperandKind::input_arguments:
    case isa::OperandKind::functions:
    case isa::OperandKind::signature:
    case isa::OperandKind::labels:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Printer::print_instruction(Offset at) {
  const Form& form = form_of(at);
  put(form.mnemonic);
  const auto operands = module_.instruction_operands(at);
  for (size_t i = 0; i < form.slots.size(); ++i) {
    put(form.slots[i].comma ? ", " : " ");
    print_operand(operands[form.slots[i].index], form.slots[i], form);
  }
  put(';');
}

/// Kernels repeat few instructions with many operands: the tables are asked once for each.
const Printer::Form& Printer::form_of(Offset at) {
  const auto entry = module_.code_bytes(at);
  const auto& inst = module_.code_as<hsa_brig_inst_base_t>(at);
  unsigned vector_elements = 0;
  const int vector = isa::vector_operand(inst.opcode);
  if (vector >= 0) {
    const auto operands = module_.instruction_operands(at);
    vector_elements = static_cast<unsigned>(brig::elements(module_, operands[static_cast<size_t>(vector)]).size());
  }
  FormKey key;
  key.head = inst.base.kind | uint64_t{inst.opcode} << 16 | uint64_t{inst.type} << 32 | uint64_t{vector_elements} << 48;
  const auto tail = entry.subspan(sizeof(hsa_brig_inst_base_t));
  std::memcpy(&key.tail, tail.data(), std::min(tail.size(), sizeof key.tail));
  const auto found = forms_.find(key);
  return found != forms_.end() ? found->second : forms_.emplace(key, make_form(at)).first->second;
}

Printer::Form Printer::make_form(Offset at) {
  const isa::Fields fields = brig::instruction_fields(module_, at);
  const isa::Variant& variant = **isa::match(fields);  // the module was checked
  Form form;
  form.mnemonic = isa::print_mnemonic(variant, fields);
  form.segment = fields[isa::Field::segment];
  const auto rules = isa::operands(variant);
  std::vector<size_t> order(rules.size());
  for (size_t i = 0; i < order.size(); ++i) order[rules[i].text_position] = i;
  for (size_t i = 0; i < order.size(); ++i) {
    const isa::Operand& rule = rules[order[i]];
    const bool comma = i != 0 && !stands_alone(rule.kind) && !stands_alone(rules[order[i - 1]].kind);
    form.slots.push_back({static_cast<uint8_t>(order[i]), comma, rule.kind, isa::operand_type(rule, fields)});
  }
  return form;
}

void Printer::print_operand(Offset operand, const Form::Slot& slot, const Form& form) {
  switch (brig::operand_kind(module_, operand)) {
    case HSA_BRIG_KIND_OPERAND_OPERAND_LIST: {
      const char* separator = "(";
      for (const Offset element : brig::vector_elements(module_, operand)) {
        put(separator);
        separator = ", ";
        print_value(element, slot.type);
      }
      return put(')');
    }
    case HSA_BRIG_KIND_OPERAND_ADDRESS: return print_address(operand, form.segment);
    case HSA_BRIG_KIND_OPERAND_CODE_REF: return put(module_.name(brig::code_ref(module_, operand)));
    case HSA_BRIG_KIND_OPERAND_CODE_LIST: {
      const bool is_arguments =
          slot.kind == isa::OperandKind::output_arguments || slot.kind == isa::OperandKind::input_arguments;
      return print_code_list(operand, is_arguments ? '(' : '[', is_arguments ? ')' : ']');
    }
    default: return print_value(operand, slot.type);
  }
}

void Printer::print_value(Offset operand, isa::Type expected) {
  switch (brig::operand_kind(module_, operand)) {
    case HSA_BRIG_KIND_OPERAND_REGISTER: return print_register(operand);
    case HSA_BRIG_KIND_OPERAND_WAVESIZE: return put("WAVESIZE");
    default: return print_constant(operand, {Context::value, expected});
  }
}

void Printer::print_register(Offset operand) {
  const brig::Register reg = brig::register_of(module_, operand);
  put('$');
  put(isa::register_letter(reg.kind));
  put_number(reg.number);
}

void Printer::print_address(Offset operand, unsigned segment) {
  const brig::Address address = brig::address_of(module_, operand);
  if (address.symbol != 0) {
    put('[');
    put(module_.name(address.symbol));
    put(']');
    if (address.reg == 0 && address.offset == 0) return;
  }
  put('[');
  if (address.reg != 0) print_register(address.reg);
  const bool is_32_bit = isa::address_bits(segment, module_.header().machine_model) == 32;
  const int64_t offset = is_32_bit ? static_cast<int32_t>(address.offset) : static_cast<int64_t>(address.offset);
  if (address.reg != 0) {
    if (offset > 0) put('+');
    if (offset != 0) put_signed(offset);
  } else if (address.symbol != 0) {
    put_signed(offset);
  } else {
    put_number(address.offset);
  }
  put(']');
}

void Printer::print_code_list(Offset operand, char open, char close) {
  put(open);
  const char* separator = "";
  for (const Offset element : brig::code_list(module_, operand)) {
    put(separator);
    separator = ", ";
    put(module_.name(element));
  }
  put(close);
}

}  // namespace heddle::print
