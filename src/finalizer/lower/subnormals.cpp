// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/subnormals.h"

#include <algorithm>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/types.h"

namespace heddle::finalizer {
namespace {

/// Reports whether the instruction can have ftz. Its mnemonic then has a slot for it.
bool may_flush(const isa::Fields& instruction) {
  const auto variant = isa::match(instruction);
  if (!variant) return false;
  return std::ranges::any_of(isa::slots(**variant),
                             [](const isa::Slot& slot) { return slot.field == isa::Field::ftz; });
}

}  // namespace

Subnormals subnormals_in(const isa::Fields& instruction) {
  if (instruction.opcode == HSA_BRIG_OPCODE_ICALL) return Subnormals::kept;
  const isa::Type source = instruction.source_type();
  const isa::Type type = isa::base_type(source == HSA_BRIG_TYPE_NONE ? instruction.type() : source);
  if (type != HSA_BRIG_TYPE_F32 && type != HSA_BRIG_TYPE_F64) return Subnormals::indifferent;
  if (!may_flush(instruction)) return Subnormals::indifferent;
  return instruction[isa::Field::ftz] ? Subnormals::flushed : Subnormals::kept;
}

}  // namespace heddle::finalizer
