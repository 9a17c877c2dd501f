// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The profile, machine model and extensions of a module, and the types that these allow it to use (PRM 2.9,
// 13.1, 14.1, 16.2.1).
#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/checker.h"
#include "hsail/isa/names.h"

namespace heddle::brig {

/// Finds the module directive and the extensions. This precedes all passes over operands, because the allowed
/// types of constants depend on it. Ignores extensions after the first statement, where they are not allowed.
void Checker::read_environment() {
  environment_.image_extension = false;
  for (Offset at = module_.code_begin(); at < module_.code_end(); at = module_.next_code(at)) {
    switch (module_.code_kind(at)) {
      case HSA_BRIG_KIND_DIRECTIVE_MODULE: {
        const auto& header = module_.code_as<hsa_brig_directive_module_t>(at);
        environment_.machine_model = header.machine_model;
        environment_.profile = header.profile;
        environment_.hsail_minor = header.hsail_minor;
        break;
      }
      case HSA_BRIG_KIND_DIRECTIVE_EXTENSION:
      case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION: {
        const Offset name = module_.code_as<hsa_brig_directive_extension_t>(at).name;
        if (is_data(name) && module_.string(name) == "IMAGE") environment_.image_extension = true;
        break;
      }
      case HSA_BRIG_KIND_NONE:
      case HSA_BRIG_KIND_DIRECTIVE_COMMENT:
      case HSA_BRIG_KIND_DIRECTIVE_LOC:
      case HSA_BRIG_KIND_DIRECTIVE_PRAGMA:
        break;
      default:
        return;
    }
  }
}

/// Image and sampler types need the image extension, f64 needs the full profile, and a signal handle has the
/// size of an address.
std::optional<isa::Violation> Checker::forbidden(isa::Type type) const {
  const isa::Type element = isa::array_element(type);
  if ((isa::is_image(element) || isa::is_sampler(element)) && !environment_.image_extension) {
    return isa::Violation{"HSAIL-13.1.2-image-extension",
                          fmt::format("the type {} needs the extension \"IMAGE\"", isa::type_name(element))};
  }
  const bool is_double = element == HSA_BRIG_TYPE_F64 || element == HSA_BRIG_TYPE_F64X2;
  if (is_double && environment_.profile == HSA_BRIG_PROFILE_BASE)
    return isa::Violation{"HSAIL-16.2.1-f64", "the base profile has no 64-bit floating-point types"};
  const bool has_other_size =
      (element == HSA_BRIG_TYPE_SIG32 && environment_.machine_model == HSA_BRIG_MACHINE_MODEL_LARGE) ||
      (element == HSA_BRIG_TYPE_SIG64 && environment_.machine_model == HSA_BRIG_MACHINE_MODEL_SMALL);
  if (!has_other_size) return std::nullopt;
  return isa::Violation{
      "HSAIL-2.9-signal-size",
      fmt::format("the {} machine model has no {}",
                  isa::name(isa::Names::machine_model, environment_.machine_model), isa::type_name(element))};
}

void Checker::check_constant_type(Offset operand, isa::Type type) {
  if (const auto violation = forbidden(type)) operand_error(operand, violation->id, violation->message);
}

/// Checks that an extension that is named twice has the same version both times, and that "CORE" is the only
/// extension and has no version (PRM 13.1, 13.1.1).
void Checker::check_extension(Offset at) {
  const Offset name = module_.code_as<hsa_brig_directive_extension_t>(at).name;
  if (!check_string(at, name, "BRIG-18.5.1.6-string")) return;
  const std::string_view text = module_.string(name);
  const bool is_core = text == "CORE";
  Extension extension{at, HSA_BRIG_VERSION_HSAIL_MAJOR, environment_.hsail_minor};
  if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION) {
    const auto& entry = module_.code_as<hsa_brig_directive_extension_version_t>(at);
    extension = {at, entry.extension_major, entry.extension_minor};
    if (is_core) code_error(at, "HSAIL-13.1.1-version", "extension \"CORE\" takes no version");
  }
  (is_core ? names_core_ : names_others_) = true;
  if (names_core_ && names_others_)
    return code_error(at, "HSAIL-13.1.1-alone", "with the extension \"CORE\" there are no others");
  const auto [place, is_new] = extensions_.try_emplace(text_of(name), extension);
  const Extension& first = place->second;
  if (is_new || text.empty() || (first.major == extension.major && first.minor == extension.minor)) return;
  code_error(at, "HSAIL-13.1-extension-version",
             fmt::format("the extension \"{}\" has version {}.{} already", text.substr(0, 64), first.major,
                         first.minor));
}

}  // namespace heddle::brig
