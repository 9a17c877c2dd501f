// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/operands.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hsail/brig/event_trigger.h"
#include "hsail/isa/codec.h"

namespace heddle::brig {

isa::Type constant_type(const Module& module, Offset operand) {
  switch (operand_kind(module, operand)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER:
      // The type is the first field after the base in all of these structs.
      return module.operand_as<hsa_brig_operand_constant_bytes_t>(operand).type;
    default:
      return HSA_BRIG_TYPE_NONE;
  }
}

bool immediate_bits(const Module& module, Offset operand, [[maybe_unused]] isa::Type expected,
                    std::byte (&out)[16]) {
  if (is_constant_bytes(module, operand)) {
    const auto bytes = constant_bytes(module, operand);
    assert(bytes.size() == isa::byte_size(expected));
    std::memset(out, 0, sizeof out);
    std::memcpy(out, bytes.data(), std::min(bytes.size(), sizeof out));
    return true;
  }
  if (!is_constant_list(module, operand)) return false;
  // Our assembler writes a packed constant as a list only when an element is an expression, but other tools
  // may write any packed constant that way.
  std::byte value[16] = {};
  bool known = true;
  for_each_leaf(module, operand, [&](uint64_t at, Offset leaf) {
    known = known && is_constant_bytes(module, leaf);
    if (!known) return;
    const auto bytes = constant_bytes(module, leaf);
    assert(at + bytes.size() <= sizeof value);  // packed: at most 128 bits
    std::memcpy(value + at, bytes.data(), bytes.size());
  });
  if (known) std::memcpy(out, value, sizeof out);
  return known;
}

uint64_t immediate_u64(const Module& module, Offset operand, isa::Type expected) {
  std::byte bits[16];
  const bool known = immediate_bits(module, operand, expected, bits);
  assert(known);
  uint64_t value = 0;
  if (known) std::memcpy(&value, bits, sizeof value);
  return value;
}

uint64_t integer_value(const Module& module, Offset operand) {
  const auto bytes = constant_bytes(module, operand);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  if (isa::is_signed(constant_type(module, operand)) && bytes.size() < sizeof value) {
    const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes.size());
    value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
  }
  return value;
}

Expression expression_of(const Module& module, Offset operand) {
  assert(is_expression(module, operand));
  const auto& entry = module.operand_as<hsa_brig_operand_constant_expression_t>(operand);
  Expression result{entry.type, entry.expression_operation, 0, 0};
  const auto operands = module.offsets(entry.operands);
  if (!operands.empty()) result.symbol = code_ref(module, operands[0]);
  if (operands.size() > 1) result.displacement = integer_value(module, operands[1]);
  return result;
}

uint64_t constant_byte_size(const Module& module, Offset operand) {
  switch (operand_kind(module, operand)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
      return constant_bytes(module, operand).size();
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      return for_each_leaf(module, operand, [](uint64_t, Offset) {});
    default:
      return isa::byte_size(constant_type(module, operand));
  }
}

RegisterCounts register_counts(const Module& module, Offset executable) {
  RegisterCounts counts;
  unsigned* const of_kind[] = {&counts.control, &counts.single, &counts.wide, &counts.quad};
  const auto use = [&](Offset operand) {
    const Register reg = register_of(module, operand);
    assert(reg.kind < std::size(of_kind));
    *of_kind[reg.kind] = std::max(*of_kind[reg.kind], reg.number + 1u);
  };
  module.for_each_in_code_block(executable, [&](Offset at) {
    if (is_event_trigger(module, at)) {  // it executes, and may read a register that nothing else uses
      for (const Offset operand : module.offsets(module.code_as<hsa_brig_directive_pragma_t>(at).operands))
        if (is_register(module, operand)) use(operand);
      return;
    }
    if (!module.is_instruction(at)) return;
    for (const Offset& operand : module.instruction_operands(at)) {
      if (is_address(module, operand)) {
        if (const Offset reg = address_of(module, operand).reg; reg != 0) use(reg);
        continue;
      }
      for (const Offset element : elements(module, operand)) {
        if (is_register(module, element)) use(element);
      }
    }
  });
  return counts;
}

isa::Fields instruction_fields(const Module& module, Offset instruction) {
  auto fields = isa::decode(module.code_bytes(instruction));
  assert(fields);  // entries of a module are as long as their struct
  const int vector = isa::vector_operand(fields->opcode);
  const auto operands = module.instruction_operands(instruction);
  if (vector >= 0 && static_cast<size_t>(vector) < operands.size()) {
    const auto count = elements(module, operands[static_cast<size_t>(vector)]).size();
    (*fields)[isa::Field::vector] = static_cast<uint16_t>(count);
  }
  return *fields;
}

}  // namespace heddle::brig
