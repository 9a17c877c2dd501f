// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instruction_text.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/names.h"

namespace heddle::golden {
namespace {

using isa::Field;
using isa::Fields;
using isa::OperandKind;

// ---- values of slots -----------------------------------------------------------------------------

/// Reports whether the slot determines what an instruction does. All combinations of such slots are written.
/// The other slots are modifiers.
bool is_structural(const isa::Slot& slot) {
  switch (slot.field) {
    case Field::type:
    case Field::source_type:
    case Field::coord_type:
    case Field::vector:
    case Field::pack:
    case Field::segment:
    case Field::memory_order:
    case Field::memory_scope:
    case Field::atomic_operation:
    case Field::compare:
    case Field::geometry:
    case Field::image_query:
    case Field::sampler_query:
      return slot.form != isa::SlotForm::literal;
    default:
      return false;
  }
}

std::vector<uint16_t> values_of(const isa::Slot& slot) {
  if (slot.form == isa::SlotForm::literal) return {};
  if (slot.form == isa::SlotForm::number) return {0, 1, 77, 255};
  std::vector<uint16_t> values;
  for (uint16_t value = 0; value < 128; ++value)
    if (isa::value_set(slot.domain).contains(value)) values.push_back(value);
  return values;
}

bool is_legal(const isa::Variant& variant, const Fields& fields, const isa::Environment& environment) {
  // In the tables, image types of loads, stores and moves are like any other type.
  bool image = isa::is_image(fields.type()) || isa::is_sampler(fields.type());
  if (image && !environment.image_extension) return false;
  auto matched = isa::match(fields);
  if (!matched || *matched != &variant) return false;
  bool warned = false;
  return isa::check(variant, fields, environment, [&](const isa::BrokenRule&) { warned = true; }) && !warned;
}

// ---- operands ------------------------------------------------------------------------------------

std::string registers(isa::Type type, unsigned elements, unsigned first) {
  char letter = isa::register_letter(*isa::register_kind(type));
  if (elements == 1) return fmt::format("${}{}", letter, first);
  std::string text;
  for (unsigned i = 0; i < elements; ++i)
    text += fmt::format("{}${}{}", i == 0 ? "(" : ", ", letter, first + i);
  return text + ")";
}

std::string packed_constant(isa::Type type) {
  isa::Type element = isa::base_type(type);
  std::string text = std::string(isa::name(isa::Names::type, type)) + "(";
  for (unsigned i = 0; i < isa::packed_dimension(type); ++i) {
    if (i != 0) text += ", ";
    if (element == HSA_BRIG_TYPE_F16)
      text += fmt::format("0h{:04x}", 0x3c00 + i);
    else if (element == HSA_BRIG_TYPE_F32)
      text += fmt::format("0f{:08x}", 0xbf800000 + i);
    else if (element == HSA_BRIG_TYPE_F64)
      text += fmt::format("0d{:016x}", 0x7ff8000000000000 + i);
    else
      text += isa::is_signed(element) ? fmt::format("-{}", i + 1) : fmt::format("{}", i);
  }
  return text + ")";
}

/// Returns a packed type of the size; no packed type has 1, 8 or 16 bits.
isa::Type packed_of_size(unsigned bits) {
  return bits == 32    ? HSA_BRIG_TYPE_F16X2
         : bits == 64  ? HSA_BRIG_TYPE_S16X4
         : bits == 128 ? HSA_BRIG_TYPE_U32X4
                       : HSA_BRIG_TYPE_NONE;
}

/// Adds integers. HSAIL 1.0 has no values that only a loader knows, and its BRIG no signed values of bit
/// types.
void add_integers(isa::Type type, bool is_1_0, std::vector<std::string>& out) {
  unsigned bits = isa::bit_size(type);
  out.insert(out.end(), {"0", "1"});
  if (isa::is_signed(type) || (isa::is_bit(type) && !is_1_0)) out.push_back("-1");
  out.push_back(bits == 64 ? "9223372036854775807" : fmt::format("{}", (uint64_t{1} << (bits - 1)) - 1));
  if (is_1_0) return;
  out.insert(out.end(), {"addr(&global)", "addr(&global+12)", "addr(&global-4)", "addr(&kernel)", "nullptr",
                         "nullptr_group", "nullptr_private", "nullptr_kernarg"});
  if (bits == 64) out.push_back("addr(&indirect)");
}

/// Returns everything but registers that can represent a value of the type.
std::vector<std::string> immediates(const isa::Operand& operand, const Fields& fields,
                                    const isa::Environment& environment) {
  isa::Type type = isa::operand_type(operand, fields);
  std::vector<std::string> out;
  unsigned bits = isa::bit_size(type);
  const bool is_1_0 = environment.hsail_minor == 0;
  if (type == HSA_BRIG_TYPE_B1) return {"0", "1", "WAVESIZE"};
  if (isa::is_integer(type) || (isa::is_bit(type) && bits <= 64)) add_integers(type, is_1_0, out);
  if (is_1_0 && type == HSA_BRIG_TYPE_B128) out.push_back(packed_constant(HSA_BRIG_TYPE_U8X16));
  if (isa::is_bit(type) && !is_1_0) {
    if (isa::Type packed = packed_of_size(bits); packed != HSA_BRIG_TYPE_NONE)
      out.push_back(packed_constant(packed));
    if (bits == 32) out.insert(out.end(), {"0f3f800000", "s32(5)"});
    if (bits == 64) out.push_back("s64(5)");
    if (bits == 64 && environment.profile == HSA_BRIG_PROFILE_FULL) out.push_back("0d3ff0000000000000");
  }
  if (type == HSA_BRIG_TYPE_F16) out = {"0h3c00", "0hfe01"};
  if (type == HSA_BRIG_TYPE_F32) out = {"0f3f800000", "0fff800001"};
  if (type == HSA_BRIG_TYPE_F64) out = {"0d3ff0000000000000", "0dfff0000000000001"};
  if (isa::is_packed(type)) out = {packed_constant(type)};
  if (isa::is_signal(type)) out = {fmt::format("{}(0)", isa::type_name(type))};
  if (isa::accepts_wavesize(operand, fields)) out.push_back("WAVESIZE");
  return out;
}

std::vector<std::string> source_choices(const isa::Operand& operand, const Fields& fields,
                                        const isa::Environment& environment, unsigned first) {
  isa::Type type = isa::operand_type(operand, fields);
  unsigned elements = isa::operand_elements(operand, fields);
  std::vector<std::string> out{registers(type, elements, first)};
  for (const std::string& immediate : immediates(operand, fields, environment)) {
    std::string text = immediate;
    if (elements > 1) {
      text = "(" + immediate;  // an immediate among registers, one of which occurs twice
      for (unsigned i = 1; i < elements; ++i) text += ", " + registers(type, 1, first);
      text += ")";
    }
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> address_choices(const Fields& fields, const isa::Environment& environment) {
  unsigned segment = fields[Field::segment];
  unsigned bits = isa::address_bits(segment, environment.machine_model);
  char reg = bits == 32 ? 's' : 'd';
  std::string name;
  switch (segment) {
    case HSA_BRIG_SEGMENT_GLOBAL:
      name = "&global";
      break;
    case HSA_BRIG_SEGMENT_READONLY:
      name = "&readonly";
      break;
    case HSA_BRIG_SEGMENT_GROUP:
      name = "%group";
      break;
    case HSA_BRIG_SEGMENT_PRIVATE:
      name = "%private";
      break;
    case HSA_BRIG_SEGMENT_SPILL:
      name = "%spill";
      break;
    case HSA_BRIG_SEGMENT_KERNARG:
      name = "%k0";
      break;
    case HSA_BRIG_SEGMENT_ARG:
      name = fields.opcode == HSA_BRIG_OPCODE_LD ? "%in" : "%out";
      break;
    default:
      break;
  }
  std::vector<std::string> out;
  if (!name.empty())
    for (const char* rest : {"", "[12]", "[-12]", "[${}3]", "[${}3+16]", "[${}3-16]"})
      out.push_back(fmt::format("[{}]", name) + (*rest == 0 ? "" : fmt::format(fmt::runtime(rest), reg)));
  for (const char* form : {"[${}5]", "[${}5+2147483647]", "[${}5-2147483648]", "[0]", "[4294967295]"})
    out.push_back(fmt::format(fmt::runtime(form), reg));
  if (bits == 64)
    out.insert(out.end(),
               {"[$d5+9223372036854775807]", "[$d5-9223372036854775808]", "[18446744073709551615]"});
  return out;
}

/// Returns all operands that are possible here, registers first.
std::vector<std::string> choices(const isa::Operand& operand, const Fields& fields,
                                 const isa::Environment& environment, unsigned first) {
  isa::Type type = isa::operand_type(operand, fields);
  switch (operand.kind) {
    case OperandKind::destination:
      return {registers(type, isa::operand_elements(operand, fields), first)};
    case OperandKind::source_register:
      return {registers(type, isa::operand_elements(operand, fields), first)};
    case OperandKind::source:
      return source_choices(operand, fields, environment, first);
    case OperandKind::constant: {
      std::string high = fmt::format("{}", operand.maximum);
      return {"0", "1", high};
    }
    case OperandKind::address:
      return address_choices(fields, environment);
    case OperandKind::label:
      return {"@before", "@behind"};
    case OperandKind::labels:
      return {"[@before]", "[@before, @behind, @before]"};
    case OperandKind::fbarrier:
      return {"&fbar", "%fbar"};
    case OperandKind::fbarrier_or_source:
      return {"&fbar", "%fbar", "$s1800"};
    case OperandKind::function:
      return {"&function", "&declared", "&indirect"};
    case OperandKind::functions:
      return {"[&function]", "[&function, &indirect, &declared, &function]"};
    case OperandKind::signature:
      return {"&signature"};
    case OperandKind::output_arguments:
      return {"(%o)"};
    case OperandKind::input_arguments:
      return {"(%i)"};
  }
  return {};
}

bool stands_alone(OperandKind kind) {
  return kind == OperandKind::labels || kind == OperandKind::functions || kind == OperandKind::signature ||
         kind == OperandKind::output_arguments || kind == OperandKind::input_arguments;
}

// ---- enumeration ---------------------------------------------------------------------------------

class Generator {
 public:
  Generator(const isa::Environment& environment, Coverage& coverage)
      : environment_(environment), coverage_(coverage) {}

  Lines run() {
    size_t number = 0;
    for (const isa::Instruction& instruction : isa::instructions())
      for (const isa::Variant& variant : isa::variants(instruction)) {
        if (coverage_.seen.size() <= number) prepare(variant);
        number_ = number++;
        write_variant(variant);
      }
    return std::move(lines_);
  }

 private:
  void prepare(const isa::Variant& variant) {
    auto& seen = coverage_.seen.emplace_back();
    for (size_t i = 0; i < isa::slots(variant).size(); ++i) seen.emplace_back(256);
    coverage_.choices.emplace_back(isa::operands(variant).size());
    coverage_.written.push_back(false);
  }

  void write_variant(const isa::Variant& variant) {
    if (variant.image_extension && !environment_.image_extension) return;
    std::vector<Fields> forms{isa::default_fields(variant)};
    for (const isa::Slot& slot : isa::slots(variant)) {
      if (!is_structural(slot)) continue;
      std::vector<Fields> more;
      for (const Fields& form : forms)
        for (uint16_t value : values_of(slot)) {
          more.push_back(form);
          more.back()[slot.field] = value;
        }
      forms = std::move(more);
    }
    for (Fields& form : forms) write_form(variant, form);
  }

  /// Writes one combination of structural values: as it is, and with each value of each modifier. Modifiers
  /// that the profile requires (ftz) are set in all of them.
  void write_form(const isa::Variant& variant, Fields form) {
    implied(variant, form);
    if (environment_.profile == HSA_BRIG_PROFILE_BASE)
      for (const isa::Slot& slot : isa::slots(variant))
        if (slot.field == Field::ftz && slot.form == isa::SlotForm::flag) form[Field::ftz] = 1;
    bool all_operands = write(variant, form, !operands_done(variant, form));
    for (const isa::Slot& slot : isa::slots(variant)) {
      if (is_structural(slot)) continue;
      for (uint16_t value : values_of(slot)) {
        Fields changed = form;
        changed[slot.field] = value;
        if (changed == form) continue;
        // If a modifier is required, the first legal form has it, and that form then shows all operands.
        bool wrote = write(variant, changed, !all_operands && !operands_done(variant, changed));
        all_operands = all_operands || wrote;
      }
    }
  }

  static void implied(const isa::Variant& variant, Fields& fields) {
    for (const isa::Implied& entry : isa::implied(variant))
      fields[entry.field] = entry.copies ? fields[entry.same_as] : entry.value;
  }

  /// Reports whether all operands were already written for these operand types and this segment, and notes
  /// that they now are.
  bool operands_done(const isa::Variant& variant, const Fields& fields) {
    std::string key = fmt::format("{} {}", number_, fields[Field::segment]);
    for (const isa::Operand& operand : isa::operands(variant))
      key +=
          fmt::format(" {}*{}", isa::operand_type(operand, fields), isa::operand_elements(operand, fields));
    return !operand_keys_.insert(last_key_ = std::move(key)).second;
  }

  /// Writes the form if it is legal. If `all`, it writes the form once for each choice of each operand,
  /// otherwise once with some choice of each.
  bool write(const isa::Variant& variant, Fields fields, bool all) {
    isa::canonicalize(variant, fields);
    if (!is_legal(variant, fields, environment_)) {
      if (all) operand_keys_.erase(last_key_);
      return false;
    }
    coverage_.written[number_] = true;
    auto slots = isa::slots(variant);
    for (size_t i = 0; i < slots.size(); ++i)
      if (slots[i].form != isa::SlotForm::literal) coverage_.seen[number_][i][fields[slots[i].field]] = true;

    auto operands = isa::operands(variant);
    std::vector<std::vector<std::string>> options;
    unsigned first = 0;
    for (const isa::Operand& operand : operands) {
      options.push_back(choices(operand, fields, environment_, first));
      first += 4;
    }
    std::vector<size_t> picked(operands.size());
    if (!all) {
      for (size_t i = 0; i < operands.size(); ++i) picked[i] = turn_++ % options[i].size();
      emit(variant, fields, options, picked);
      return true;
    }
    emit(variant, fields, options, picked);
    for (size_t i = 0; i < operands.size(); ++i) {
      for (size_t choice = 1; choice < options[i].size(); ++choice) {
        picked[i] = choice;
        emit(variant, fields, options, picked);
      }
      picked[i] = 0;
      coverage_.choices[number_][i] = std::max<unsigned>(coverage_.choices[number_][i], options[i].size());
    }
    return true;
  }

  void emit(const isa::Variant& variant, const Fields& fields,
            const std::vector<std::vector<std::string>>& options, const std::vector<size_t>& picked) {
    auto operands = isa::operands(variant);
    std::vector<size_t> order(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) order[operands[i].text_position] = i;
    std::string text = isa::print_mnemonic(variant, fields);
    for (size_t i = 0; i < order.size(); ++i) {
      bool comma =
          i != 0 && !stands_alone(operands[order[i]].kind) && !stands_alone(operands[order[i - 1]].kind);
      text += (comma ? ", " : " ") + options[order[i]][picked[order[i]]];
    }
    text += ";";
    bool is_call = isa::is_call(fields.opcode);
    bool uses_argument = fields[Field::segment] == HSA_BRIG_SEGMENT_ARG;
    (is_call         ? lines_.calls
     : uses_argument ? lines_.function
                     : lines_.kernel)
        .push_back({std::move(text), fields});
  }

  const isa::Environment& environment_;
  Coverage& coverage_;
  Lines lines_;
  size_t number_ = 0;  // index of the variant over all instructions
  size_t turn_ = 0;
  std::unordered_set<std::string> operand_keys_;
  std::string last_key_;
};

}  // namespace

Lines every_instruction(const isa::Environment& environment, Coverage& coverage) {
  return Generator(environment, coverage).run();
}

std::string module_text(const Lines& lines, const isa::Environment& environment) {
  std::string text = fmt::format("module &m:1:{}:${}:${}:$default;\n", environment.hsail_minor,
                                 isa::name(isa::Names::profile, environment.profile),
                                 isa::name(isa::Names::machine_model, environment.machine_model));
  if (environment.image_extension) text += "extension \"IMAGE\";\n";
  text +=
      "global_b8 &global[256];\nreadonly_b8 &readonly[256];\nfbarrier &fbar;\n"
      "decl prog kernel &kernel();\n"
      "decl prog function &declared(arg_u32 %o)(arg_u32 %i);\n"
      "decl prog indirect function &indirect(arg_u32 %o)(arg_u32 %i);\n"
      "signature &signature(arg_u32 %o)(arg_u32 %i);\n"
      "function &function(arg_u32 %o)(arg_u32 %i)\n{\n};\n";
  auto add = [&](const std::vector<Line>& list) {
    for (const Line& line : list) text += "    " + line.text + "\n";
  };
  text += "function &arguments(arg_b8 %out[256])(arg_b8 %in[256])\n{\n";
  add(lines.function);
  text +=
      "};\nkernel &all(kernarg_b8 %k0[256], kernarg_u64 %k1)\n{\n    group_b8 %group[256];\n    private_b8 "
      "%private[256];\n"
      "    spill_b8 %spill[256];\n    fbarrier %fbar;\n@before:\n";
  add(lines.kernel);
  for (const Line& line : lines.calls)
    text += "    {\n        arg_u32 %o;\n        arg_u32 %i;\n        " + line.text + "\n    }\n";
  return text + "@behind:\n};\n";
}

}  // namespace heddle::golden
