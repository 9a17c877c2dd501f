// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/module.h"

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/checker.h"

namespace heddle::brig {

Module Module::open(std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  auto state = std::make_shared<State>();
  if (!read_container(bytes, *state, diagnostics)) return {};
  Module module(state);
  Checker checker(module, diagnostics);
  if (!checker.check()) return {};
  state->module = checker.module_directive();
  return module;
}

bool Module::is_executable(Offset offset) const {
  switch (code_kind(offset)) {
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_SIGNATURE:
      return true;
    default:
      return false;
  }
}

bool Module::is_definition(Offset directive) const {
  switch (code_kind(directive)) {
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return (code_as<hsa_brig_directive_variable_t>(directive).modifier &
              HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0;
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return (code_as<hsa_brig_directive_fbarrier_t>(directive).modifier &
              HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0;
    default:
      return is_executable(directive) && (code_as<hsa_brig_directive_executable_t>(directive).modifier &
                                          HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION) != 0;
  }
}

Offset Module::name_offset(Offset directive) const {
  // In every directive that has a name, the name is the first field after the base.
  switch (code_kind(directive)) {
    case HSA_BRIG_KIND_DIRECTIVE_MODULE:
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
    case HSA_BRIG_KIND_DIRECTIVE_LABEL:
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION:
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION:
      break;
    default:
      if (!is_executable(directive)) return 0;
  }
  return code_as<hsa_brig_directive_label_t>(directive).name;
}

std::string_view Module::name(Offset directive) const {
  const Offset offset = name_offset(directive);
  return offset == 0 ? std::string_view() : string(offset);
}

}  // namespace heddle::brig
