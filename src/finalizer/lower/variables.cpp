// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/variables.h"

#include <algorithm>

#include "hsail/brig/operands.h"
#include "support/align.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

/// Reports whether variables of the segment belong to one work-item.
bool is_of_work_item(unsigned segment) {
  return segment == HSA_BRIG_SEGMENT_PRIVATE || segment == HSA_BRIG_SEGMENT_SPILL ||
         segment == HSA_BRIG_SEGMENT_ARG;
}

/// Returns the bytes that an instruction accesses at its address operand, or 0 if it is not a plain load or
/// store.
uint64_t accessed_bytes(const brig::Module& module, Offset instruction) {
  const isa::Fields fields = brig::instruction_fields(module, instruction);
  const isa::MemoryEffect effect = isa::memory_effect(fields.opcode);
  if (effect != isa::MemoryEffect::load && effect != isa::MemoryEffect::store) return 0;
  return uint64_t{isa::byte_size(fields.type())} * std::max<unsigned>(fields[isa::Field::vector], 1);
}

}  // namespace

Variables::Variables(const brig::Module& module, Offset executable, const TargetTraits& target) {
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable);
  collect(module, directive.first_code_block_entry, directive.next_module_entry,
          target.largest_stack_variable);
  lay_out(target.stack_for_variables);
}

void Variables::add_formal(Offset variable, llvm::Value* pointer) {
  Slot slot;
  slot.pointer = pointer;
  slots_[variable] = slot;
}

void Variables::collect(const brig::Module& module, Offset begin, Offset end, uint64_t largest) {
  for (Offset at = begin; at < end; at = module.next_code(at)) {
    if (module.is_instruction(at)) {
      mark_observed(module, at);
      continue;
    }
    if (module.code_entry(at).kind != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) continue;
    if (!is_of_work_item(module.code_as<hsa_brig_directive_variable_t>(at).segment)) continue;
    Slot slot;
    slot.size = link::variable_size(module, at);
    slot.align = link::variable_align(module, at);
    slot.in_frame = slot.size > largest;
    slots_.emplace(at, slot);
    order_.push_back(at);
  }
}

void Variables::mark_observed(const brig::Module& module, Offset instruction) {
  const unsigned opcode = module.code_as<hsa_brig_inst_base_t>(instruction).opcode;
  if (isa::memory_effect(opcode) == isa::MemoryEffect::stack) has_alloca_ = true;
  for (const Offset operand : module.instruction_operands(instruction)) {
    if (!brig::is_address(module, operand)) continue;
    const brig::Address address = brig::address_of(module, operand);
    Slot* slot = address.symbol ? find(address.symbol) : nullptr;
    if (!slot) continue;
    const uint64_t bytes = accessed_bytes(module, instruction);
    const bool inside = bytes != 0 && bytes <= slot->size && address.offset <= slot->size - bytes;
    if (address.reg != 0 || !inside) slot->in_frame = true;
  }
}

void Variables::lay_out(uint64_t most_on_stack) {
  uint64_t at = 0, on_stack = 0;
  for (const Offset variable : order_) {
    Slot& slot = slots_.at(variable);
    if (!slot.in_frame && on_stack + slot.size > most_on_stack) slot.in_frame = true;
    if (!slot.in_frame) {
      on_stack += slot.size;
      continue;
    }
    const uint64_t align = std::max<uint64_t>(slot.align, 1);
    at = align_up(at, align);
    slot.offset = static_cast<uint32_t>(at);
    at += slot.size;
    frame_align_ = std::max(frame_align_, slot.align);
    // Offsets in the private segment have 32 bits, and the largest is its null address.
    if (slot.size > INT32_MAX || at > INT32_MAX) {
      frame_too_large_ = true;
      return;
    }
  }
  frame_size_ = static_cast<uint32_t>(align_up(at, 16));
}

}  // namespace heddle::finalizer
