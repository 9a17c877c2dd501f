// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks instructions against the instruction set (PRM 18.5.2, 18.7): format and modifiers, then the count,
// kinds, registers, constants and references of the operands. Diagnostics of the instruction set tables keep
// their own HSAIL- ids.
#include <algorithm>

#include <fmt/format.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/instruction_table.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/codec.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

/// Reports whether a constant of type `given` may represent a value of type `expected` (PRM 18.6.1). Signed
/// and unsigned integers of one size are interchangeable.
bool constant_suits(isa::Type expected, isa::Type given) {
  if (expected == HSA_BRIG_TYPE_B1) return given == HSA_BRIG_TYPE_U8;
  if (isa::byte_size(given) != isa::byte_size(expected) || isa::is_array(given)) return false;
  if (expected == HSA_BRIG_TYPE_B128) return isa::is_packed(given);
  if (isa::is_bit(expected)) return isa::is_integer(given) || isa::is_float(given) || isa::is_packed(given);
  if (isa::is_integer(expected)) return isa::is_integer(given);
  return given == expected && !isa::is_image(given) && !isa::is_sampler(given);
}

bool is_function(unsigned kind) {
  return kind == HSA_BRIG_KIND_DIRECTIVE_FUNCTION || kind == HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION;
}

bool has_two_of_one(const Module& module, std::span<const Offset> registers) {
  for (size_t i = 0; i < registers.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (register_of(module, registers[i]) == register_of(module, registers[k])) return true;
    }
  }
  return false;
}

}  // namespace

void Checker::operand_of_error(Offset at, unsigned index, std::string_view id, std::string message,
                               uint32_t part) {
  const unsigned opcode = module_.code_as<hsa_brig_inst_base_t>(at).opcode;
  code_error(at, id, fmt::format("operand {} of {}: {}", index, isa::opcode_name(opcode), message), index + 1,
             part);
}

bool Checker::check_instructions() {
  const size_t before = diagnostics_.error_count();
  for (const Offset executable : executables_) {
    registers_used_ = {};
    module_.for_each_in_code_block(executable, [&](Offset at) {
      if (diagnostics_.limit_reached()) return;
      if (module_.is_instruction(at)) check_instruction(at);
      if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_PRAGMA)
        registers_used_.add(named_in(module_.code_as<hsa_brig_directive_pragma_t>(at).operands).registers);
    });
    check_register_count(executable);
  }
  return clean_since(before);
}

/// Checks the limits of PRM 4.7. Control registers have one limit, and s, d and q registers share another, in
/// which each kind counts from 0 to the highest number in use.
void Checker::check_register_count(Offset executable) {
  const auto& counts = registers_used_.counts;
  const unsigned control = counts[HSA_BRIG_REGISTER_KIND_CONTROL];
  const unsigned words = counts[HSA_BRIG_REGISTER_KIND_SINGLE] + 2 * counts[HSA_BRIG_REGISTER_KIND_DOUBLE] +
                         4 * counts[HSA_BRIG_REGISTER_KIND_QUAD];
  if (control > 128) {
    code_error(executable, "HSAIL-4.7-register-count",
               fmt::format("{} uses {} c registers, more than 128", module_.name(executable), control));
  }
  if (words > 2048) {
    code_error(executable, "HSAIL-4.7-register-count",
               fmt::format("{} uses s, d and q registers of {} words, more than 2048",
                           module_.name(executable), words));
  }
}

void Checker::check_instruction(Offset at) {
  const Offset list = module_.code_as<hsa_brig_inst_base_t>(at).operands;
  if (!is_list(list)) {
    return code_error(at, "BRIG-18.5.2.1-operands",
                      "the operands are no entry of hsa_data that holds offsets");
  }
  const auto operands = module_.offsets(list);
  for (const Offset operand : operands) {
    if (operand_kind(operand) == HSA_BRIG_KIND_NONE) {
      return code_error(at, "BRIG-18.5.2.1-operands", fmt::format("0x{:x} is no operand", operand));
    }
  }
  const Form* const form = form_of(at);
  if (form == nullptr) return;
  const auto rules = isa::operands(*form->variant);
  if (rules.size() != operands.size()) {
    return code_error(at, "BRIG-18.7-count",
                      fmt::format("{} takes {} operands, not {}", isa::opcode_name(form->fields.opcode),
                                  rules.size(), operands.size()));
  }
  const size_t before = diagnostics_.error_count();
  for (unsigned i = 0; i < rules.size(); ++i)
    check_instruction_operand(at, i, operands[i], rules[i], form->fields);
  if (clean_since(before) && isa::is_call(form->fields.opcode)) check_call(at, form->fields);
}

/// Returns the fields and variant of an instruction whose operands are operand entries, or null, after an
/// error, if the instruction set has no such variant. The result holds for all instructions with the same
/// fixed part. Only forms without errors are remembered, so that every faulty instruction is reported.
const Checker::Form* Checker::form_of(Offset at) {
  const InstructionKey key = instruction_key(module_, at);
  if (const Form* known = forms_.find(key)) return known;

  bool reserved_clear = true;
  auto fields =
      isa::decode(module_.code_bytes(at), &reserved_clear);  // succeeds: check_entries() checked the size
  if (!reserved_clear) {
    code_error(at, "BRIG-18.5.2-reserved", "a reserved field or modifier bit is not 0");
    return nullptr;
  }
  (*fields)[isa::Field::vector] = static_cast<uint16_t>(key.head >> 48);
  const auto variant = isa::match(*fields);
  if (!variant) {
    code_error(at, variant.error().id, variant.error().message);
    return nullptr;
  }
  bool clean = true;
  isa::check(**variant, *fields, environment_, [&](const isa::BrokenRule& broken) {
    clean = false;
    const Location where = Location::binary("hsa_code", at);
    if (broken.warning) {
      diagnostics_.warning(broken.violation.id, where, broken.violation.message);
    } else {
      diagnostics_.error(broken.violation.id, where, broken.violation.message);
    }
  });
  // This concerns loads, stores and moves of handles. The rules of all other instructions with image types
  // require the extension themselves.
  const isa::Type type = fields->type();
  const auto violation = isa::is_image(type) || isa::is_sampler(type) ? forbidden(type) : std::nullopt;
  if (clean && violation) {
    clean = false;
    code_error(at, violation->id, violation->message);
  }
  scratch_form_ = {*fields, *variant};
  return clean ? &forms_.insert(key, scratch_form_) : &scratch_form_;
}

void Checker::check_instruction_operand(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                                        const isa::Fields& fields) {
  const unsigned kind = operand_kind(operand);
  const auto wrong_kind = [&](std::string_view wanted) {
    operand_of_error(at, index, "BRIG-18.7-kind",
                     fmt::format("{} instead of {}", isa::name(isa::Names::kind, kind), wanted));
  };
  // The directive that a code_ref refers to; 0 for other operands.
  const Offset ref = kind == HSA_BRIG_KIND_OPERAND_CODE_REF ? code_ref(module_, operand) : 0;
  const unsigned ref_kind = code_kind(ref);
  switch (rule.kind) {
    case isa::OperandKind::destination:
    case isa::OperandKind::source:
    case isa::OperandKind::source_register:
    case isa::OperandKind::constant:
      return check_value(at, index, operand, rule, fields);
    case isa::OperandKind::address:
      if (kind != HSA_BRIG_KIND_OPERAND_ADDRESS) return wrong_kind("an address");
      return check_instruction_address(at, index, operand, fields);
    case isa::OperandKind::label:
      if (ref_kind != HSA_BRIG_KIND_DIRECTIVE_LABEL) return wrong_kind("a reference to a label");
      return check_label(at, index, ref);
    case isa::OperandKind::fbarrier_or_source:
      if (kind != HSA_BRIG_KIND_OPERAND_CODE_REF) return check_value(at, index, operand, rule, fields);
      [[fallthrough]];
    case isa::OperandKind::fbarrier:
      if (ref_kind != HSA_BRIG_KIND_DIRECTIVE_FBARRIER) return wrong_kind("a reference to an fbarrier");
      check_visible(at, index, ref);
      return;
    case isa::OperandKind::function:
      if (!is_function(ref_kind)) return wrong_kind("a reference to a function");
      check_visible(at, index, ref);
      return;
    case isa::OperandKind::signature:
      if (ref_kind != HSA_BRIG_KIND_DIRECTIVE_SIGNATURE) return wrong_kind("a reference to a signature");
      check_visible(at, index, ref);
      return;
    case isa::OperandKind::labels:
    case isa::OperandKind::functions:
    case isa::OperandKind::output_arguments:
    case isa::OperandKind::input_arguments:
      break;
  }
  if (kind != HSA_BRIG_KIND_OPERAND_CODE_LIST) return wrong_kind("a list of references to code");
  const auto list = code_list(module_, operand);
  const bool may_be_empty =
      rule.kind == isa::OperandKind::output_arguments || rule.kind == isa::OperandKind::input_arguments;
  if (list.empty() && !may_be_empty) operand_of_error(at, index, "BRIG-18.7-count", "the list is empty");
  const size_t before = diagnostics_.error_count();
  const Asked asked = rule.kind == isa::OperandKind::labels      ? Asked::labels
                      : rule.kind == isa::OperandKind::functions ? Asked::functions
                                                                 : Asked::arguments;
  const uint32_t scope = asked == Asked::functions ? 0 : scope_of(at);
  const Offset data = module_.operand_as<hsa_brig_operand_code_list_t>(operand).elements;
  walk_once(asked, scope, data, list.size(), [&] {
    for (const Offset element : list) {
      if (asked == Asked::labels) {
        if (code_kind(element) != HSA_BRIG_KIND_DIRECTIVE_LABEL) return wrong_kind("a list of labels");
        check_label(at, index, element);
      } else if (asked == Asked::functions) {
        if (!is_function(code_kind(element))) return wrong_kind("a list of functions");
        check_visible(at, index, element);  // a function visible here is visible to all later instructions
      } else if (code_kind(element) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) {
        return wrong_kind("a list of variables");
      } else if (scope_of(element) != scope_of(at)) {
        operand_of_error(at, index, "BRIG-10.2-argument",
                         "an argument that is no variable of this arg block");
      }
      if (!clean_since(before)) return;
    }
  });
}

/// Checks registers, immediates and vectors of them.
void Checker::check_value(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                          const isa::Fields& fields) {
  const unsigned count = isa::operand_elements(rule, fields);
  const std::span<const Offset> values = elements(module_, operand);
  if (values.size() != count || (count == 1 && is_vector(module_, operand))) {
    return operand_of_error(at, index, "BRIG-18.7-elements",
                            fmt::format("{} elements instead of {}", values.size(), count));
  }
  const size_t before = diagnostics_.error_count();
  for (uint32_t i = 0; i < count && clean_since(before); ++i)
    check_one_value({at, index, count == 1 ? 0 : i + 1}, values[i], rule, fields);
  if (!clean_since(before)) return;
  if (rule.kind == isa::OperandKind::destination && count > 1 && has_two_of_one(module_, values)) {
    operand_of_error(at, index, "HSAIL-4.17-vector-distinct", "the registers of a destination vector differ");
  }
}

/// Checks a register or immediate.
void Checker::check_one_value(const ValuePlace& at, Offset value, const isa::Operand& rule,
                              const isa::Fields& fields) {
  const isa::Type type = isa::operand_type(rule, fields);
  switch (operand_kind(value)) {
    case HSA_BRIG_KIND_OPERAND_REGISTER:
      if (!isa::accepts_register(rule))
        return value_error(at, "BRIG-18.7-kind", "a register instead of a constant");
      return check_register_kind(at, register_of(module_, value), type);
    case HSA_BRIG_KIND_OPERAND_WAVESIZE:
      // A b1 constant must be 0 or 1, but tools of HSA 1.0 write WAVESIZE for true.
      if (!isa::accepts_wavesize(rule, fields) && !(type == HSA_BRIG_TYPE_B1 && isa::accepts_immediate(rule)))
        value_error(at, "HSAIL-4.16.1-wavesize", "WAVESIZE is not allowed");
      return;
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      if (!isa::accepts_immediate(rule))
        return value_error(at, "BRIG-18.7-kind", "a constant instead of a register");
      return check_immediate(at, value, rule, type);
    default:
      return value_error(at, "BRIG-18.7-kind",
                         fmt::format("{} instead of a register or constant",
                                     isa::name(isa::Names::kind, operand_kind(value))));
  }
}

void Checker::check_register_kind(const ValuePlace& at, Register reg, isa::Type type) {
  const auto wanted = isa::register_kind(type);
  if (wanted == static_cast<hsa_brig_register_kind_t>(reg.kind)) return registers_used_.add(reg);
  value_error(
      at, "HSAIL-4.16.2-register-kind",
      fmt::format("a value of type {} is held by {}, not by ${}{}", isa::type_name(type),
                  wanted ? fmt::format("a ${} register", isa::register_letter(*wanted)) : "no register",
                  isa::register_letter(reg.kind), reg.number));
}

void Checker::check_immediate(const ValuePlace& at, Offset value, const isa::Operand& rule, isa::Type type) {
  const bool is_bytes = is_constant_bytes(module_, value);
  const isa::Type given = constant_type(module_, value);
  if (!constant_suits(type, given)) {
    return value_error(at, "BRIG-18.6.1-type",
                       fmt::format("a constant of type {} for a value of type {}", isa::type_name(given),
                                   isa::type_name(type)));
  }
  if (std::byte bits[16];
      rule.kind == isa::OperandKind::constant && !immediate_bits(module_, value, type, bits)) {
    return value_error(at, "HSAIL-4.16-constant-range",
                       "an address, which only a loader knows, instead of a number");
  }
  if (type == HSA_BRIG_TYPE_B1 && !(is_bytes && integer_value(module_, value) <= 1))
    return value_error(at, "BRIG-18.6.1-b1", "a constant of type b1 is 0 or 1");
  if (is_bytes && rule.maximum != 0xffff && integer_value(module_, value) > rule.maximum) {
    return value_error(at, "HSAIL-4.16-constant-range",
                       fmt::format("{} is more than {}", integer_value(module_, value), rule.maximum));
  }
  if (!is_bytes) check_immediate_names(at.instruction, at.index, value);
}

/// Checks that the symbols whose addresses an expression or a packed constant contains are visible. There are
/// at most 16.
void Checker::check_immediate_names(Offset at, unsigned index, Offset constant) {
  for_each_leaf(module_, constant, [&](uint64_t, Offset leaf) {
    if (!is_expression(module_, leaf)) return;
    if (const Offset symbol = expression_of(module_, leaf).symbol; symbol != 0)
      check_visible(at, index, symbol);
  });
}

void Checker::check_label(Offset at, unsigned index, Offset label) {
  const uint32_t target = scope_of(label);
  const uint32_t here = scope_of(at);
  if (target == here) return;
  if (scopes_[target].executable != scopes_[here].executable) {
    operand_of_error(at, index, "BRIG-18.6.5-label",
                     fmt::format("{} is a label of another code block", module_.name(label)));
  } else {
    operand_of_error(at, index, "BRIG-10.2-branch",
                     fmt::format("the branch to {} goes into or out of an arg block", module_.name(label)));
  }
}

}  // namespace heddle::brig
