// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address operands, and what an instruction may do with the variable that an address names (PRM 4.18, 6.3.3,
// 10.2).
#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::brig {

void Checker::check_instruction_address(Offset at, unsigned index, Offset operand,
                                        const isa::Fields& fields) {
  const unsigned segment = fields[isa::Field::segment];
  const Address address = address_of(module_, operand);
  const unsigned bits = isa::address_bits(segment, environment_.machine_model);
  if (address.symbol != 0) {
    const unsigned symbol_segment = module_.code_as<hsa_brig_directive_variable_t>(address.symbol).segment;
    if (symbol_segment != segment) {
      operand_of_error(
          at, index, "HSAIL-4.18-segment",
          fmt::format("{} is in segment {}, the instruction accesses {}", module_.name(address.symbol),
                      isa::name(isa::Names::segment, symbol_segment),
                      isa::name(isa::Names::segment, segment)));
    } else if (check_visible(at, index, address.symbol)) {
      check_access(at, index, address.symbol, fields);
    }
  }
  if (address.reg != 0) {
    check_register_kind({at, index, register_part}, register_of(module_, address.reg),
                        bits == 64 ? HSA_BRIG_TYPE_U64 : HSA_BRIG_TYPE_U32);
  }
  if (bits == 32 && address.offset > UINT32_MAX) {
    operand_of_error(at, index, "BRIG-18.6.2-offset", "the high half of the offset of a 32-bit address is 0");
  }
}

/// Returns whether a variable is an input or output formal argument of the function that contains it, or
/// neither.
Checker::FormalRole Checker::role_of(Offset variable) const {
  if (module_.code_as<hsa_brig_directive_variable_t>(variable).segment != HSA_BRIG_SEGMENT_ARG)
    return FormalRole::none;
  const Scope& scope = scopes_[scope_of(variable)];
  if (scope.is_arg_block) return FormalRole::none;
  const auto& executable = module_.code_as<hsa_brig_directive_executable_t>(scope.executable);
  return variable < executable.first_in_arg ? FormalRole::output : FormalRole::input;
}

void Checker::check_access(Offset at, unsigned index, Offset variable, const isa::Fields& fields) {
  const isa::MemoryEffect effect = isa::memory_effect(fields.opcode);
  const FormalRole role = role_of(variable);
  if (role != FormalRole::none &&
      effect != (role == FormalRole::input ? isa::MemoryEffect::load : isa::MemoryEffect::store)) {
    return operand_of_error(
        at, index, "HSAIL-10.2-formal-access",
        role == FormalRole::input
            ? fmt::format("{} is an input argument: it can only be loaded", module_.name(variable))
            : fmt::format("{} is the output argument: it can only be stored to", module_.name(variable)));
  }
  if (effect != isa::MemoryEffect::load && effect != isa::MemoryEffect::store) return;
  const isa::Type held = isa::array_element(module_.code_as<hsa_brig_directive_variable_t>(variable).type);
  // A variable of a bit type may hold anything, because bytes of a structure may be a handle.
  const bool fits =
      held == fields.type() || isa::is_bit(held) || (!isa::is_opaque(held) && !isa::is_opaque(fields.type()));
  if (!fits) {
    operand_of_error(at, index, "HSAIL-6.3.3-opaque-type",
                     fmt::format("{} holds {}, not {}", module_.name(variable), isa::type_name(held),
                                 isa::type_name(fields.type())));
  }
}

}  // namespace heddle::brig
