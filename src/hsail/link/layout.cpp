// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "hsail/isa/types.h"
#include "hsail/link/program.h"
#include "support/align.h"

namespace heddle::link {
uint64_t variable_size(const brig::Module& module, brig::Offset variable) {
  const auto& directive = module.code_as<hsa_brig_directive_variable_t>(variable);
  const uint64_t element = isa::byte_size(directive.type);
  if (!isa::is_array(directive.type)) return element;
  uint64_t size = 0;
  return __builtin_mul_overflow(element, brig::u64(directive.dim), &size) ? UINT64_MAX : size;
}

uint32_t variable_align(const brig::Module& module, brig::Offset variable) {
  const auto& directive = module.code_as<hsa_brig_directive_variable_t>(variable);
  const uint32_t natural = std::max(1u, isa::natural_alignment(directive.type));
  if (directive.align == HSA_BRIG_ALIGNMENT_NONE || directive.align > HSA_BRIG_ALIGNMENT_MAX) return natural;
  return std::max(natural, 1u << (directive.align - 1));
}

KernargLayout Program::kernarg_layout(Reference kernel) const {
  const brig::Module& module = modules_[kernel.module];
  KernargLayout layout;
  for (brig::Offset formal : formals(module, kernel.offset)) {
    const uint32_t align = variable_align(module, formal);
    const uint64_t size = variable_size(module, formal);
    const uint64_t offset = align_up(layout.size, align);
    layout.slots.push_back({formal, offset, size, align});
    layout.size = offset + size;
    layout.align = std::max(layout.align, align);
  }
  layout.size = align_up(layout.size, 16);
  return layout;
}

GroupLayout Program::group_layout(Reference kernel) const {
  // Every code block that may run contributes the variables that it defines and names. There is one copy of
  // each variable, also in recursive functions (PRM 4.11).
  std::vector<int32_t> variables, fbarriers;
  std::vector<bool> seen(symbols_.size());
  for (Reference executable : reachable(kernel)) {
    const Code* code = code_of(executable);
    if (code == nullptr) continue;
    for (int32_t index : code->symbols) {
      if (seen[index]) continue;
      seen[index] = true;
      const Symbol& symbol = symbols_[index];
      if (symbol.kind == Symbol::Kind::fbarrier) {
        fbarriers.push_back(index);
      } else if (symbol.kind == Symbol::Kind::variable &&
                 modules_[symbol.definition.module]
                         .code_as<hsa_brig_directive_variable_t>(symbol.definition.offset)
                         .segment == HSA_BRIG_SEGMENT_GROUP) {
        variables.push_back(index);
      }
    }
  }
  GroupLayout layout;
  uint64_t size = 0;
  const auto place = [&](int32_t index, uint64_t bytes, uint32_t align) {
    const uint64_t offset = align_up(size, align);
    layout.slots.push_back({symbols_[index].definition, static_cast<uint32_t>(offset)});
    // resolve() rejects more than 4 GiB of group memory; here the sum only has to be kept from wrapping.
    size = offset + std::min<uint64_t>(bytes, UINT32_MAX);
    layout.align = std::max(layout.align, align);
  };
  for (int32_t index : variables) {
    const Reference at = symbols_[index].definition;
    place(index, variable_size(modules_[at.module], at.offset),
          variable_align(modules_[at.module], at.offset));
  }
  for (int32_t index : fbarriers) place(index, fbarrier_size, fbarrier_align);
  layout.size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  return layout;
}

}  // namespace heddle::link
