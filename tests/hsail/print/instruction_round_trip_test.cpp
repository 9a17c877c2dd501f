// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction, every variant, every type and every value of every modifier: BRIG -> text -> the same
// BRIG.
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/assemble/assemble.h"
#include "hsail/brig/builder.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/codec.h"
#include "hsail/isa/names.h"
#include "hsail/print/print.h"

namespace heddle::print {
namespace {

using brig::Offset;

/// A module with one kernel that holds one instruction after the other, and everything that these refer to.
class Code {
 public:
  Code(unsigned machine_model) : machine_model_(machine_model) {
    hsa_brig_directive_module_t module{};
    module.base.kind = HSA_BRIG_KIND_DIRECTIVE_MODULE;
    module.name = b.add_string("&m");
    module.hsail_major = HSA_BRIG_VERSION_HSAIL_MAJOR;
    module.hsail_minor = HSA_BRIG_VERSION_HSAIL_MINOR;
    module.profile = HSA_BRIG_PROFILE_FULL;
    module.machine_model = static_cast<hsa_brig_machine_model8_t>(machine_model);
    module.default_float_round = HSA_BRIG_ROUND_FLOAT_DEFAULT;
    b.add_code(module);
    b.add_code(hsa_brig_directive_extension_t{{0, HSA_BRIG_KIND_DIRECTIVE_EXTENSION}, b.add_string("IMAGE")});
    b.define(fbarrier, b.add_code(hsa_brig_directive_fbarrier_t{{0, HSA_BRIG_KIND_DIRECTIVE_FBARRIER},
                                                                b.add_string("&fb"),
                                                                HSA_BRIG_VARIABLE_MODIFIER_DEFINITION,
                                                                HSA_BRIG_LINKAGE_MODULE,
                                                                0}));
    b.define(function, add_executable("&f", HSA_BRIG_KIND_DIRECTIVE_FUNCTION, HSA_BRIG_LINKAGE_MODULE));
    b.define(signature, add_executable("&s", HSA_BRIG_KIND_DIRECTIVE_SIGNATURE, HSA_BRIG_LINKAGE_NONE));
    kernel_ = add_executable("&k", HSA_BRIG_KIND_DIRECTIVE_KERNEL, HSA_BRIG_LINKAGE_MODULE);
    b.define(label,
             b.add_code(hsa_brig_directive_label_t{{0, HSA_BRIG_KIND_DIRECTIVE_LABEL}, b.add_string("@l")}));
  }

  void add(const isa::Variant& variant, const isa::Fields& fields) {
    const bool is_call = isa::is_call(variant.opcode);
    if (is_call) b.add_code(hsa_brig_directive_arg_block_t{{0, HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START}});
    // Each form is added three times: with registers only, with immediates and with WAVESIZE where these are
    // legal.
    for (const Filling filling : {Filling::registers, Filling::immediates, Filling::wavesize}) {
      std::vector<Offset> operands;
      for (const isa::Operand& rule : isa::operands(variant))
        operands.push_back(operand(rule, fields, filling));
      b.add_instruction(fields, operands);
      ++instructions;
      if (is_call) break;  // an arg block holds only one call
    }
    if (is_call) b.add_code(hsa_brig_directive_arg_block_t{{0, HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END}});
  }

  std::vector<std::byte> finish() {
    b.code_as<hsa_brig_directive_executable_t>(kernel_).next_module_entry = b.code_end();
    auto bytes = b.finish();
    EXPECT_TRUE(bytes.ok());
    return *bytes;
  }

  size_t instructions = 0;

 private:
  enum class Filling { registers, immediates, wavesize };

  Offset add_executable(std::string_view name, unsigned kind, unsigned linkage) {
    hsa_brig_directive_executable_t entry{};
    entry.base.kind = static_cast<uint16_t>(kind);
    entry.name = b.add_string(name);
    entry.modifier = HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION;
    entry.linkage = static_cast<hsa_brig_linkage8_t>(linkage);
    const Offset at = b.add_code(entry);
    auto& placed = b.code_as<hsa_brig_directive_executable_t>(at);
    placed.first_in_arg = placed.first_code_block_entry = placed.next_module_entry = b.code_end();
    return at;
  }

  Offset reg(isa::Type type, unsigned number) {
    return b.add_register(*isa::register_kind(type), static_cast<uint16_t>(number));
  }

  /// Returns a constant as the assembler makes it for the type: literals for integers and bits.
  Offset constant(isa::Type type, unsigned maximum) {
    std::byte bytes[16];
    for (unsigned i = 0; i < 16; ++i) bytes[i] = static_cast<std::byte>(0x11 + i);
    const unsigned size = isa::byte_size(type);
    if (type == HSA_BRIG_TYPE_B1) return b.add_constant(HSA_BRIG_TYPE_U8, 1);
    if (type == HSA_BRIG_TYPE_B128) return b.add_constant(HSA_BRIG_TYPE_U8X16, std::span(bytes));
    if (isa::is_signal(type)) return b.add_constant(type, 0);
    if (isa::is_bit(type)) type = isa::as_unsigned(type);
    if (maximum != 0xffff) return b.add_constant(type, maximum);
    return b.add_constant(type, std::span(bytes).first(size));
  }

  Offset value(const isa::Operand& rule, const isa::Fields& fields, unsigned number, Filling filling) {
    const isa::Type type = isa::operand_type(rule, fields);
    if (rule.kind == isa::OperandKind::constant) return constant(type, rule.maximum);
    const bool is_handle = isa::is_image(type) || isa::is_sampler(type);
    if (filling == Filling::wavesize && isa::accepts_wavesize(rule, fields)) return b.add_wavesize();
    if (filling == Filling::immediates && isa::accepts_immediate(rule) && !is_handle) {
      return constant(type, rule.maximum);
    }
    return reg(type, number);
  }

  Offset operand(const isa::Operand& rule, const isa::Fields& fields, Filling filling) {
    const brig::Symbol labels[] = {label, label};
    const brig::Symbol functions[] = {function};
    switch (rule.kind) {
      case isa::OperandKind::address: {
        const unsigned bits = isa::address_bits(fields[isa::Field::segment], machine_model_);
        const Offset base = reg(bits == 64 ? HSA_BRIG_TYPE_U64 : HSA_BRIG_TYPE_U32, 9);
        if (filling == Filling::registers) return b.add_address({}, base, 0);
        if (filling == Filling::immediates)
          return b.add_address({}, base, bits == 64 ? ~uint64_t{7} : 0xfffffff8);
        return b.add_address({}, 0, 4096);
      }
      case isa::OperandKind::label:
        return b.add_code_ref(label);
      case isa::OperandKind::labels:
        return b.add_code_list(labels);
      case isa::OperandKind::fbarrier:
        return b.add_code_ref(fbarrier);
      case isa::OperandKind::fbarrier_or_source:
        return filling == Filling::registers ? reg(HSA_BRIG_TYPE_U32, 3) : b.add_code_ref(fbarrier);
      case isa::OperandKind::function:
        return b.add_code_ref(function);
      case isa::OperandKind::functions:
        return b.add_code_list(functions);
      case isa::OperandKind::signature:
        return b.add_code_ref(signature);
      case isa::OperandKind::output_arguments:
      case isa::OperandKind::input_arguments:
        return b.add_code_list({});
      default:
        break;
    }
    const unsigned count = isa::operand_elements(rule, fields);
    if (count == 1) return value(rule, fields, 1, filling);
    std::vector<Offset> elements;
    for (unsigned i = 0; i < count; ++i) elements.push_back(value(rule, fields, i, filling));
    return b.add_vector(elements);
  }

  const unsigned machine_model_;
  brig::Builder b;
  const brig::Symbol fbarrier = b.new_symbol();
  const brig::Symbol function = b.new_symbol();
  const brig::Symbol signature = b.new_symbol();
  const brig::Symbol label = b.new_symbol();
  Offset kernel_ = 0;
};

/// Calls `visit` for fields of the variant so that each slot takes each of its values. Types occur in all
/// combinations, and other modifiers are varied one at a time.
void for_each_encoding(const isa::Variant& variant, const std::function<void(const isa::Fields&)>& visit) {
  const auto slots = isa::slots(variant);
  const auto values_of = [&](const isa::Slot& slot) {
    std::vector<unsigned> values;
    for (unsigned v = 0; v < 128; ++v) {
      if (isa::value_set(slot.domain).contains(v)) values.push_back(v);
    }
    if (slot.form == isa::SlotForm::number) values.push_back(255);
    return values;
  };
  const auto is_type = [](const isa::Slot& slot) {
    return slot.field == isa::Field::type || slot.field == isa::Field::source_type ||
           slot.field == isa::Field::coord_type;
  };
  isa::Fields fields = isa::default_fields(variant);
  for (const isa::Slot& slot : slots) {
    if (!slot.optional && slot.form != isa::SlotForm::literal)
      fields[slot.field] = static_cast<uint16_t>(values_of(slot)[0]);
  }
  const std::function<void(size_t)> choose_types = [&](size_t index) {
    if (index < slots.size()) {
      if (!is_type(slots[index])) return choose_types(index + 1);
      for (const unsigned type : values_of(slots[index])) {
        fields[slots[index].field] = static_cast<uint16_t>(type);
        choose_types(index + 1);
      }
      return;
    }
    visit(fields);
    for (const isa::Slot& slot : slots) {
      if (is_type(slot) || slot.form == isa::SlotForm::literal) continue;
      const uint16_t was = fields[slot.field];
      for (const unsigned value : values_of(slot)) {
        fields[slot.field] = static_cast<uint16_t>(value);
        visit(fields);
      }
      fields[slot.field] = was;
    }
  };
  choose_types(0);
}

class InstructionRoundTrip : public testing::TestWithParam<unsigned> {};

TEST_P(InstructionRoundTrip, brig_to_text_to_the_same_brig) {
  const isa::Environment environment{.machine_model = GetParam()};
  Code code(GetParam());
  std::set<unsigned> opcodes;
  for (const isa::Instruction& instruction : isa::instructions()) {
    for (const isa::Variant& variant : isa::variants(instruction)) {
      for_each_encoding(variant, [&](isa::Fields fields) {
        // memfence has the scope twice; formats without a modifier have the plain form when there is none.
        fields[isa::Field::group_scope] =
            fields.kind == HSA_BRIG_KIND_INST_MEM_FENCE ? fields[isa::Field::memory_scope] : 0;
        isa::canonicalize(variant, fields);
        const auto matched = isa::match(fields);
        if (!matched || *matched != &variant) return;
        bool legal = true;
        isa::check(variant, fields, environment,
                   [&](const isa::BrokenRule& broken) { legal = legal && broken.warning; });
        if (!legal) return;
        code.add(variant, fields);
        opcodes.insert(fields.opcode);
      });
    }
  }
  EXPECT_EQ(opcodes.size(), isa::instructions().size());
  EXPECT_GT(code.instructions, 10000u);

  const std::vector<std::byte> bytes = code.finish();
  Diagnostics diagnostics("built");
  const auto module = brig::Module::open(bytes, diagnostics);
  ASSERT_TRUE(module) << diagnostics.print();
  const std::string text = disassemble(module);
  std::vector<std::byte> again;
  Diagnostics assembly("printed", text);
  ASSERT_TRUE(assemble::assemble(text, "printed", again, assembly)) << assembly.print();
  Diagnostics reopening;
  const auto second = brig::Module::open(again, reopening);
  ASSERT_TRUE(second) << reopening.print();
  EXPECT_EQ(disassemble(second), text);
  // Both modules share equal entries. Only the order in which the entries were made may differ.
  EXPECT_EQ(again.size(), bytes.size());
  Offset other = second.code_begin();
  for (Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at)) {
    ASSERT_EQ(module.code_kind(at), second.code_kind(other));
    if (module.is_instruction(at)) {
      ASSERT_EQ(brig::instruction_fields(module, at), brig::instruction_fields(second, other))
          << disassemble_entry(module, at);
    }
    other = second.next_code(other);
  }
  std::vector<std::byte> third;
  ASSERT_TRUE(assemble::assemble(disassemble(second), "printed", third, assembly));
  EXPECT_TRUE(third == again);
}

INSTANTIATE_TEST_SUITE_P(Print, InstructionRoundTrip,
                         testing::Values(HSA_BRIG_MACHINE_MODEL_SMALL, HSA_BRIG_MACHINE_MODEL_LARGE),
                         [](const auto& info) {
                           return std::string(isa::name(isa::Names::machine_model, info.param));
                         });

}  // namespace
}  // namespace heddle::print
