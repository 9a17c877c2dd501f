// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each directive by itself (PRM 18.5.1): names, enumerators, types, sizes, initializers, operands.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// PRM 4.6: a prefix, a letter or underscore, then letters, digits, underscores and dots.
bool is_identifier(std::string_view name) {
  return name.size() >= 2 && is_letter(name[1]) && std::all_of(name.begin() + 2, name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '.';
         });
}

/// Operands of a control directive (PRM 13.5).
struct Control {
  uint8_t operands;
  bool wavesize;  // WAVESIZE allowed
  uint64_t least;
  uint64_t most;
  bool power_of_two = false;
};
constexpr uint64_t u32_max = UINT32_MAX;
constexpr Control controls[] = {
    {},                        // none
    {1, false, 0, u32_max},    // enablebreakexceptions
    {1, false, 0, u32_max},    // enabledetectexceptions
    {1, false, 0, u32_max},    // maxdynamicgroupsize
    {1, true, 1, UINT64_MAX},  // maxflatgridsize
    {1, true, 1, u32_max},     // maxflatworkgroupsize
    {1, false, 1, 3},          // requireddim
    {3, true, 1, UINT64_MAX},  // requiredgridsize
    {3, true, 1, u32_max},     // requiredworkgroupsize
    {0, false, 0, 0},          // requirenopartialworkgroups
    {0, false, 0, 0},          // requirenopartialwavefronts
    {1, false, 1, 256, true},  // requiredgroupbaseptralign
};

}  // namespace

bool Checker::check_directives() {
  const size_t before = diagnostics_.error_count();
  for (Offset at = module_.code_begin(); at < module_.code_end(); at = module_.next_code(at)) {
    if (module_.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_MODULE) continue;
    older_hsail_ = module_.code_as<hsa_brig_directive_module_t>(at).hsail_minor < 2;
    break;
  }
  for (Offset at = module_.code_begin(); at < module_.code_end() && !diagnostics_.limit_reached();
       at = module_.next_code(at)) {
    check_directive(at);
  }
  return clean_since(before);
}

void Checker::check_directive(Offset at) {
  switch (module_.code_kind(at)) {
    case HSA_BRIG_KIND_NONE:
      return check_pad(at);
    case HSA_BRIG_KIND_DIRECTIVE_COMMENT:
      check_string(at, module_.code_as<hsa_brig_directive_comment_t>(at).name, "BRIG-18.5.1.3-string");
      return;
    case HSA_BRIG_KIND_DIRECTIVE_CONTROL:
      return check_control(at);
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION:
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION:
      return check_extension(at);
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return check_fbarrier(at);
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
    case HSA_BRIG_KIND_DIRECTIVE_SIGNATURE:
      return check_executable(at);
    case HSA_BRIG_KIND_DIRECTIVE_LABEL:
      return check_name(at, "@");
    case HSA_BRIG_KIND_DIRECTIVE_LOC:
      return check_loc(at);
    case HSA_BRIG_KIND_DIRECTIVE_MODULE:
      return check_module(at);
    case HSA_BRIG_KIND_DIRECTIVE_PRAGMA:
      return check_pragma(at);
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return check_variable(at);
    default:
      return;  // arg blocks have no fields; instructions come later
  }
}

bool Checker::check_string(Offset at, Offset string, std::string_view id) {
  if (is_data(string)) return true;
  code_error(at, id, fmt::format("0x{:x} is no entry of hsa_data", string));
  return false;
}

void Checker::check_name(Offset at, std::string_view prefixes) {
  const Offset name =
      module_.code_as<hsa_brig_directive_label_t>(at).name;  // the same place in all directives
  if (!check_string(at, name, "BRIG-18.5.1-string")) return;
  const std::string_view text = module_.string(name);
  const uint32_t question = static_cast<uint8_t>(prefixes.front()) | static_cast<uint8_t>(prefixes.back())
                                                                         << 8;
  walk_once(Asked::name, question, name, text.size(), [&] {
    if (is_identifier(text) && prefixes.find(text[0]) != std::string_view::npos) return;
    code_error(at, "BRIG-4.6-name",
               fmt::format("\"{}\" is no identifier that begins with {}", text.substr(0, 64),
                           fmt::join(prefixes, " or ")));
  });
}

void Checker::check_module(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_module_t>(at);
  check_name(at, "&");
  if (entry.hsail_major != HSA_BRIG_VERSION_HSAIL_MAJOR || entry.hsail_minor > HSA_BRIG_VERSION_HSAIL_MINOR) {
    code_error(at, "BRIG-18.5.1.11-version",
               fmt::format("HSAIL version {}.{}; this reader knows {}.0 to {}.{}", entry.hsail_major,
                           entry.hsail_minor, unsigned{HSA_BRIG_VERSION_HSAIL_MAJOR},
                           unsigned{HSA_BRIG_VERSION_HSAIL_MAJOR}, unsigned{HSA_BRIG_VERSION_HSAIL_MINOR}));
  }
  if (entry.profile > HSA_BRIG_PROFILE_FULL) {
    code_error(at, "BRIG-18.5.1.11-profile", fmt::format("{} is no profile", entry.profile));
  }
  if (entry.machine_model > HSA_BRIG_MACHINE_MODEL_LARGE) {
    code_error(at, "BRIG-18.5.1.11-machine-model",
               fmt::format("{} is no machine model", entry.machine_model));
  }
  switch (entry.default_float_round) {
    case HSA_BRIG_ROUND_FLOAT_DEFAULT:
    case HSA_BRIG_ROUND_FLOAT_NEAR_EVEN:
    case HSA_BRIG_ROUND_FLOAT_ZERO:
      break;
    default:
      code_error(at, "BRIG-18.5.1.11-round", "the default rounding is default, near or zero");
  }
}

void Checker::check_executable(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_executable_t>(at);
  const bool is_signature = entry.base.kind == HSA_BRIG_KIND_DIRECTIVE_SIGNATURE;
  check_name(at, "&");
  if ((entry.modifier & ~HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION) != 0 ||
      (is_signature && entry.modifier != HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION)) {
    code_error(at, "BRIG-18.5.1.5-modifier", fmt::format("modifier 0x{:x}", entry.modifier));
  }
  const bool good_linkage =
      is_signature ? entry.linkage == HSA_BRIG_LINKAGE_NONE
                   : entry.linkage == HSA_BRIG_LINKAGE_PROGRAM || entry.linkage == HSA_BRIG_LINKAGE_MODULE;
  if (!good_linkage) code_error(at, "BRIG-18.5.1.5-linkage", fmt::format("linkage {}", entry.linkage));
  const unsigned most_outputs = entry.base.kind == HSA_BRIG_KIND_DIRECTIVE_KERNEL ? 0 : 1;
  if (entry.out_arg_count > most_outputs) {
    code_error(at, "BRIG-18.5.1.5-outputs",
               fmt::format("{} output arguments; there may be {}", entry.out_arg_count, most_outputs));
  }
}

void Checker::check_variable(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  // No name (0, or an empty string in BRIG of 1.0 tools): a formal of a signature, see check_formal.
  const bool has_string = entry.name == 0 || check_string(at, entry.name, "BRIG-18.5.1.14-string");
  if (has_string && !module_.string(entry.name).empty()) check_name(at, "&%");
  const isa::Type element = isa::array_element(entry.type);
  if (!isa::is_valid(entry.type) || entry.type == HSA_BRIG_TYPE_NONE || element == HSA_BRIG_TYPE_B1) {
    code_error(at, "BRIG-18.5.1.14-type", fmt::format("no variable has type {}", isa::type_name(entry.type)));
    return;
  }
  if (entry.segment < HSA_BRIG_SEGMENT_GLOBAL || entry.segment > HSA_BRIG_SEGMENT_ARG) {
    code_error(at, "BRIG-18.5.1.14-segment", fmt::format("no variable is in segment {}", entry.segment));
    return;
  }
  const bool is_static =
      entry.segment == HSA_BRIG_SEGMENT_GLOBAL || entry.segment == HSA_BRIG_SEGMENT_READONLY;
  if (entry.align > HSA_BRIG_ALIGNMENT_MAX || entry.align == HSA_BRIG_ALIGNMENT_NONE ||
      (1u << (entry.align - 1)) < isa::natural_alignment(element)) {
    code_error(at, "BRIG-18.5.1.14-align",
               fmt::format("alignment {} is not between the natural alignment of {} and 256", entry.align,
                           isa::type_name(element)));
  }
  constexpr unsigned modifiers = HSA_BRIG_VARIABLE_MODIFIER_DEFINITION | HSA_BRIG_VARIABLE_MODIFIER_CONST;
  if ((entry.modifier & ~modifiers) != 0 ||
      ((entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0 && !is_static)) {
    code_error(at, "BRIG-18.5.1.14-modifier", fmt::format("modifier 0x{:x}", entry.modifier));
  }
  if (entry.linkage > HSA_BRIG_LINKAGE_ARG) {
    code_error(at, "BRIG-18.5.1.14-linkage", fmt::format("{} is no linkage", entry.linkage));
  }
  const bool good_allocation =
      entry.segment == HSA_BRIG_SEGMENT_GLOBAL
          ? entry.allocation == HSA_BRIG_ALLOCATION_PROGRAM || entry.allocation == HSA_BRIG_ALLOCATION_AGENT
          : entry.allocation == (is_static ? HSA_BRIG_ALLOCATION_AGENT : HSA_BRIG_ALLOCATION_AUTOMATIC);
  if (!good_allocation) {
    code_error(at, "BRIG-18.5.1.14-allocation",
               fmt::format("allocation {} in segment {}", entry.allocation,
                           isa::name(isa::Names::segment, entry.segment)));
  }
  if (!isa::is_array(entry.type) && u64(entry.dim) != 0) {
    code_error(at, "BRIG-18.5.1.14-dim", "a variable that is no array has no dimension");
    return;
  }
  check_variable_size(at);
  check_initializer(at);
}

/// Sizes that no address of the segment could span would overflow the arithmetic of every consumer.
void Checker::check_variable_size(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const bool wide = entry.segment == HSA_BRIG_SEGMENT_GLOBAL || entry.segment == HSA_BRIG_SEGMENT_READONLY ||
                    entry.segment == HSA_BRIG_SEGMENT_KERNARG;
  const uint64_t most = wide ? UINT64_MAX : UINT32_MAX;
  if (u64(entry.dim) > most / isa::byte_size(entry.type)) {
    code_error(at, "BRIG-18.5.1.14-size",
               fmt::format("{} elements of type {} are larger than segment {}", u64(entry.dim),
                           isa::type_name(isa::array_element(entry.type)),
                           isa::name(isa::Names::segment, entry.segment)));
  }
}

void Checker::check_initializer(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const bool is_definition = (entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0;
  if (entry.init == 0) {
    if (is_definition && (entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0) {
      code_error(at, "BRIG-4.3.10-const", "the definition of a const variable has an initializer");
    }
    return;
  }
  if (!is_definition ||
      (entry.segment != HSA_BRIG_SEGMENT_GLOBAL && entry.segment != HSA_BRIG_SEGMENT_READONLY)) {
    code_error(at, "BRIG-18.5.1.14-init",
               "only definitions of variables of the global and readonly segment have initializers");
    return;
  }
  const isa::Type element = isa::array_element(entry.type);
  bool good = false;
  switch (operand_kind(entry.init)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER: {
      const isa::Type type = constant_type(module_, entry.init);
      const bool is_aggregate = operand_kind(entry.init) == HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST &&
                                type == HSA_BRIG_TYPE_NONE;
      // PRM 18.6.1. Sizes are compared below.
      if (isa::is_array(entry.type)) {
        good = isa::is_bit(element) ? is_aggregate || isa::is_array(type) : type == entry.type;
      } else if (isa::is_bit(entry.type)) {
        good = !isa::is_array(type) && (isa::is_integer(type) || isa::is_float(type) || isa::is_packed(type));
      } else {
        good = isa::is_integer(entry.type) ? isa::is_integer(type) : type == entry.type;
      }
      if (!good) {
        code_error(
            at, "BRIG-18.6.1-type",
            fmt::format("a constant of type {} for a variable of type {}",
                        is_aggregate ? "aggregate" : isa::type_name(type), isa::type_name(entry.type)));
        return;
      }
      break;
    }
    default:
      code_error(at, "BRIG-18.5.1.14-init", "the initializer is no constant");
      return;
  }
  const uint64_t size = isa::byte_size(entry.type) * (isa::is_array(entry.type) ? u64(entry.dim) : 1);
  const uint64_t given = constant_size(entry.init);
  if (size != given) {
    code_error(at, "BRIG-18.5.1.14-init-size",
               fmt::format("an initializer of {} bytes for a variable of {} bytes", given, size));
    return;
  }
  if (entry.allocation == HSA_BRIG_ALLOCATION_PROGRAM) check_program_initializer(at);
}

/// constant_byte_size(), for lists that many constants share.
uint64_t Checker::constant_size(Offset constant) {
  if (!is_constant_list(module_, constant)) return constant_byte_size(module_, constant);
  const Offset list = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(constant).elements;
  const auto [known, is_new] = sizes_of_lists_.try_emplace(list);
  if (is_new) known->second = constant_byte_size(module_, constant);  // whatever the type of the list is
  return known->second;
}

/// One copy for all agents cannot start with what differs between them (PRM 4.8.1).
void Checker::check_program_initializer(Offset at) {
  const Offset init = module_.code_as<hsa_brig_directive_variable_t>(at).init;
  const auto check = [&] {
    bool good = true;
    for_each_leaf(module_, init, [&](uint64_t, Offset leaf) {
      if (!is_expression(module_, leaf)) return;
      const Expression expression = expression_of(module_, leaf);
      if (expression.operation != HSA_BRIG_EXPRESSION_OPERATION_ADDR) {
        good = good && expression.operation == HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT;
      } else {
        good = good && code_kind(expression.symbol) == HSA_BRIG_KIND_DIRECTIVE_VARIABLE &&
               module_.code_as<hsa_brig_directive_variable_t>(expression.symbol).allocation ==
                   HSA_BRIG_ALLOCATION_PROGRAM;
      }
    });
    if (!good) {
      code_error(at, "BRIG-4.8.1-agent",
                 "the initial value differs from agent to agent, the variable is in the program");
    }
  };
  if (!is_constant_list(module_, init)) return check();
  const Offset list = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(init).elements;
  walk_once(Asked::program_initializer, 0, list, module_.offsets(list).size(), check);
}

void Checker::check_fbarrier(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_fbarrier_t>(at);
  check_name(at, "&%");
  if ((entry.modifier & ~HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0) {
    code_error(at, "BRIG-18.5.1.8-modifier", fmt::format("modifier 0x{:x}", entry.modifier));
  }
}

void Checker::check_loc(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_loc_t>(at);
  if (!check_string(at, entry.filename, "BRIG-18.5.1.10-string")) return;
  if (entry.line == 0 || entry.column == 0) {
    diagnostics_.warning("BRIG-13.2-position", Location::binary("hsa_code", at),
                         "lines and columns count from 1");
  }
}

void Checker::check_pad(Offset at) {
  const auto rest = module_.code_bytes(at).subspan(sizeof(hsa_brig_directive_none_t));
  if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{}; })) {
    code_error(at, "BRIG-18.5.1.12-zero", "the bytes of padding are zero");
  }
}

void Checker::check_control(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_control_t>(at);
  if (entry.control == HSA_BRIG_CONTROL_DIRECTIVE_NONE || entry.control >= std::size(controls)) {
    code_error(at, "BRIG-18.5.1.4-control", fmt::format("{} is no control directive", entry.control));
    return;
  }
  if (!is_list(entry.operands)) {
    code_error(at, "BRIG-18.5.1.4-list", "the operands are no entry of hsa_data that holds offsets");
    return;
  }
  const Control& control = controls[entry.control];
  const std::string_view name = isa::name(isa::Names::control_directive, entry.control);
  const auto operands = module_.offsets(entry.operands);
  if (operands.size() != control.operands) {
    code_error(at, "BRIG-13.5-count",
               fmt::format("{} takes {} operands, not {}", name, control.operands, operands.size()));
    return;
  }
  for (const Offset operand : operands) {
    const unsigned kind = operand_kind(operand);
    if (kind == HSA_BRIG_KIND_OPERAND_WAVESIZE && control.wavesize) continue;
    if (kind != HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES || !isa::is_integer(constant_type(module_, operand))) {
      code_error(at, "BRIG-18.5.1.4-operand",
                 fmt::format("{} takes integer constants{}", name, control.wavesize ? " and WAVESIZE" : ""));
      return;
    }
    const uint64_t value = integer_value(module_, operand);
    if (value < control.least || value > control.most ||
        (control.power_of_two && !std::has_single_bit(value))) {
      code_error(at, "BRIG-13.5-value", fmt::format("{} does not take the value {}", name, value));
    }
  }
}

void Checker::check_pragma(Offset at) {
  const Offset list = module_.code_as<hsa_brig_directive_pragma_t>(at).operands;
  if (!is_list(list)) {
    code_error(at, "BRIG-18.5.1.13-list", "the operands are no entry of hsa_data that holds offsets");
    return;
  }
  const auto operands = module_.offsets(list);
  const size_t before = diagnostics_.error_count();
  walk_once(Asked::pragma, 0, list, operands.size(), [&] {
    for (const Offset operand : operands) {
      switch (operand_kind(operand)) {
        case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
        case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
        case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
        case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
        case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER:
        case HSA_BRIG_KIND_OPERAND_REGISTER:
        case HSA_BRIG_KIND_OPERAND_CODE_REF:
        case HSA_BRIG_KIND_OPERAND_STRING:
        case HSA_BRIG_KIND_OPERAND_WAVESIZE:
          continue;
        default:
          code_error(at, "BRIG-18.5.1.13-operand",
                     fmt::format("operand 0x{:x} is nothing a pragma takes", operand));
          return;
      }
    }
  });
  if (!clean_since(before)) return;
  const bool named = !operands.empty() && operand_kind(operands[0]) == HSA_BRIG_KIND_OPERAND_STRING;
  if (!named && !older_hsail_) code_error(at, "BRIG-13.4-name", "the first operand of a pragma is a string");
}

void Checker::check_extension(Offset at) {
  const Offset name = module_.code_as<hsa_brig_directive_extension_t>(at).name;
  if (!check_string(at, name, "BRIG-18.5.1.6-string")) return;
  if (module_.string(name) == "IMAGE") environment_.image_extension = true;
  if (module_.string(name) == "CORE" && module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION) {
    code_error(at, "BRIG-13.1.1-version", "extension \"CORE\" takes no version");
  }
}

}  // namespace heddle::brig
