// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints instructions (PRM 19.2): the mnemonic from the instruction set tables, then the operands in the
// order of the text.
#include <cassert>

#include "hsail/print/printer.h"

namespace heddle::print {
namespace {

/// Reports whether operands of this kind have no comma before and after them: argument lists, targets and
/// signatures.
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
  put(std::string_view(mnemonics_).substr(form.mnemonic_at, form.mnemonic_length));
  const auto operands = module_.instruction_operands(at);
  for (const Form::Slot& slot : std::span(form.slots).first(form.slot_count)) {
    put(slot.comma ? ", " : " ");
    print_operand(operands[slot.index], slot, form);
  }
  put(';');
}

/// Returns the form of an instruction. Kernels repeat a few fixed parts with many operands, so the tables are
/// consulted only once for each.
const Printer::Form& Printer::form_of(Offset at) {
  const brig::InstructionKey key = brig::instruction_key(module_, at);
  const Form* const known = forms_.find(key);
  return known != nullptr ? *known : forms_.insert(key, make_form(at));
}

Printer::Form Printer::make_form(Offset at) {
  const isa::Fields fields = brig::instruction_fields(module_, at);
  const isa::Variant& variant = **isa::match(fields);  // exists, because the module has been checked
  const std::string mnemonic = isa::print_mnemonic(variant, fields);
  const auto rules = isa::operands(variant);
  Form form;
  assert(mnemonic.size() <= UINT8_MAX && rules.size() <= form.slots.size());
  form.mnemonic_at = static_cast<uint32_t>(mnemonics_.size());
  form.mnemonic_length = static_cast<uint8_t>(mnemonic.size());
  mnemonics_ += mnemonic;
  form.segment = static_cast<uint8_t>(fields[isa::Field::segment]);
  form.slot_count = static_cast<uint8_t>(rules.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    form.slots[rules[i].text_position] = {static_cast<uint8_t>(i), false, rules[i].kind,
                                          isa::operand_type(rules[i], fields)};
  }
  for (size_t i = 1; i < rules.size(); ++i) {
    form.slots[i].comma = !stands_alone(form.slots[i].kind) && !stands_alone(form.slots[i - 1].kind);
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
    case HSA_BRIG_KIND_OPERAND_ADDRESS:
      return print_address(operand, form.segment);
    case HSA_BRIG_KIND_OPERAND_CODE_REF:
      return put(module_.name(brig::code_ref(module_, operand)));
    case HSA_BRIG_KIND_OPERAND_CODE_LIST: {
      const bool is_arguments =
          slot.kind == isa::OperandKind::output_arguments || slot.kind == isa::OperandKind::input_arguments;
      return print_code_list(operand, is_arguments ? '(' : '[', is_arguments ? ')' : ']');
    }
    default:
      return print_value(operand, slot.type);
  }
}

void Printer::print_value(Offset operand, isa::Type expected) {
  switch (brig::operand_kind(module_, operand)) {
    case HSA_BRIG_KIND_OPERAND_REGISTER:
      return print_register(operand);
    case HSA_BRIG_KIND_OPERAND_WAVESIZE:
      return put("WAVESIZE");
    default:
      return print_constant(operand, {Context::value, expected});
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
  const int64_t offset =
      is_32_bit ? static_cast<int32_t>(address.offset) : static_cast<int64_t>(address.offset);
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
