// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks each directive on its own (PRM 18.5.1): names, enumerators, types, sizes, initializers, operands.
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/control_directive.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reports whether `name`, after any first character, is a letter or underscore followed by letters, digits,
/// underscores and dots (PRM 4.6).
bool is_identifier(std::string_view name) {
  return name.size() >= 2 && is_letter(name[1]) && std::all_of(name.begin() + 2, name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '.';
         });
}

}  // namespace

bool Checker::check_directives() {
  const size_t before = diagnostics_.error_count();
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
      return;  // arg blocks have no fields, and check_instructions() checks instructions
  }
}

bool Checker::check_string(Offset at, Offset string, std::string_view id) {
  if (is_data(string)) return true;
  code_error(at, id, fmt::format("0x{:x} is no entry of hsa_data", string));
  return false;
}

void Checker::check_name(Offset at, std::string_view prefixes) {
  const Offset name =
      module_.code_as<hsa_brig_directive_label_t>(at).name;  // all directives have the name in this position
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
    code_error(at, "HSAIL-10.2-outputs",
               fmt::format("{} output arguments; there may be {}", entry.out_arg_count, most_outputs));
  }
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
    diagnostics_.warning("HSAIL-13.2-loc", Location::binary("hsa_code", at),
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
  const isa::ControlDirective* control = isa::control_directive(entry.control);
  if (control == nullptr) {
    code_error(at, "BRIG-18.5.1.4-control", fmt::format("{} is no control directive", entry.control));
    return;
  }
  if (!is_list(entry.operands)) {
    code_error(at, "BRIG-18.5.1.4-list", "the operands are no entry of hsa_data that holds offsets");
    return;
  }
  const std::string_view name = isa::name(isa::Names::control_directive, entry.control);
  const auto operands = module_.offsets(entry.operands);
  if (operands.size() != control->operands) {
    code_error(at, "BRIG-13.5-count",
               fmt::format("{} takes {} operands, not {}", name, control->operands, operands.size()));
    return;
  }
  for (const Offset operand : operands) {
    const unsigned kind = operand_kind(operand);
    if (kind == HSA_BRIG_KIND_OPERAND_WAVESIZE && control->takes_wavesize) continue;
    if (kind != HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES || !isa::is_integer(constant_type(module_, operand))) {
      code_error(
          at, "BRIG-18.5.1.4-operand",
          fmt::format("{} takes integer constants{}", name, control->takes_wavesize ? " and WAVESIZE" : ""));
      return;
    }
    const uint64_t value = integer_value(module_, operand);
    if (!control->takes(value))
      code_error(at, "BRIG-13.5-value", fmt::format("{} does not take the value {}", name, value));
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
  if (operands.empty()) return code_error(at, "BRIG-13.4-empty", "a pragma has at least one operand");
  // In HSAIL 1.0 and 1.1 a pragma could begin with any operand.
  const bool named = operand_kind(operands[0]) == HSA_BRIG_KIND_OPERAND_STRING;
  if (!named && environment_.hsail_minor >= 2)
    code_error(at, "HSAIL-13.4-name", "the first operand of a pragma is a string, its name", 1);
}

}  // namespace heddle::brig
