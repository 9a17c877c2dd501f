// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, moves of elements, and conditional moves (PRM 5.8 to 5.10).
#include "hsail/isa/types.h"
#include "interpreter/families.h"

namespace heddle::interpreter {
namespace {

void run_mov(Context& context, const Op& op) {
  write(context, operand(context, op, 0), op.type, read(context, operand(context, op, 1)));
}

/// In the scalar form src0 is a b1. The type may be b128, so this cannot be an elementary operation.
void run_cmov(Context& context, const Op& op) {
  if (isa::is_packed(op.type)) return run_packed(context, op);
  const bool first = read_scalar(context, op, 1) != 0;
  write(context, operand(context, op, 0), op.type, read(context, operand(context, op, first ? 2 : 3)));
}
/// In the packed form src0 has unsigned elements.
uint64_t select_element(const Shape&, const uint64_t* s, uint32_t&) { return s[0] != 0 ? s[1] : s[2]; }

/// Combines (a, b, ...) into one value, in which the first element is the least significant.
void run_combine(Context& context, const Op& op) {
  const Operand& sources = operand(context, op, 1);
  const unsigned bits = isa::bit_size(op.source_type);
  Value result;
  for (unsigned i = 0; i < sources.count; ++i) {
    set_element(result, i, bits, read(context, context.function->operands[sources.index + i]).lo);
  }
  write(context, operand(context, op, 0), op.type, result);
}

void run_expand(Context& context, const Op& op) {
  const Operand& destinations = operand(context, op, 0);
  const Value source = read(context, operand(context, op, 1));
  const unsigned bits = isa::bit_size(op.type);
  for (unsigned i = 0; i < destinations.count; ++i) {
    write(context, context.function->operands[destinations.index + i], op.type,
          {element(source, i, bits), 0});
  }
}

unsigned element_bits(isa::Type packed) { return isa::bit_size(isa::base_type(packed)); }

/// src2 has one selector for each element, from the low bits up. The low half of the elements comes from
/// src0, the high half from src1 (PRM Table 5-13).
void run_shuffle(Context& context, const Op& op) {
  const Value first = read(context, operand(context, op, 1));
  const Value second = read(context, operand(context, op, 2));
  uint64_t selectors = read_scalar(context, op, 3);
  const unsigned count = isa::packed_dimension(op.type), bits = element_bits(op.type);
  Value result;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned selected = selectors & (count - 1);
    selectors /= count;
    set_element(result, i, bits, element(i < count / 2 ? first : second, selected, bits));
  }
  write(context, operand(context, op, 0), op.type, result);
}

/// Takes the elements of the lower or upper halves, alternating between the two sources.
void interleave(Context& context, const Op& op, bool upper) {
  const Value first = read(context, operand(context, op, 1));
  const Value second = read(context, operand(context, op, 2));
  const unsigned count = isa::packed_dimension(op.type), bits = element_bits(op.type);
  Value result;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned from = i / 2 + (upper ? count / 2 : 0);
    set_element(result, i, bits, element(i % 2 == 0 ? first : second, from, bits));
  }
  write(context, operand(context, op, 0), op.type, result);
}
void run_unpacklo(Context& context, const Op& op) { interleave(context, op, false); }
void run_unpackhi(Context& context, const Op& op) { interleave(context, op, true); }

void run_pack(Context& context, const Op& op) {
  Value result = read(context, operand(context, op, 1));
  const unsigned index = read_scalar(context, op, 3) % isa::packed_dimension(op.type);
  set_element(result, index, element_bits(op.type), read(context, operand(context, op, 2)).lo);
  write(context, operand(context, op, 0), op.type, result);
}

void run_unpack(Context& context, const Op& op) {
  const Value source = read(context, operand(context, op, 1));
  const unsigned index = read_scalar(context, op, 2) % isa::packed_dimension(op.source_type);
  uint64_t value = element(source, index, element_bits(op.source_type));
  // The type of the instruction is a 32-bit type for narrower elements, which are extended according to the
  // type of the element.
  if (isa::is_signed(isa::base_type(op.source_type))) {
    value = static_cast<uint64_t>(sign_extend(value, element_bits(op.source_type)));
  }
  write(context, operand(context, op, 0), op.type, {value, 0});
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_MOV, run_mov},
    {HSA_BRIG_OPCODE_COMBINE, run_combine},
    {HSA_BRIG_OPCODE_EXPAND, run_expand},
    {HSA_BRIG_OPCODE_SHUFFLE, run_shuffle},
    {HSA_BRIG_OPCODE_UNPACKLO, run_unpacklo},
    {HSA_BRIG_OPCODE_UNPACKHI, run_unpackhi},
    {HSA_BRIG_OPCODE_PACK, run_pack},
    {HSA_BRIG_OPCODE_UNPACK, run_unpack},
    {HSA_BRIG_OPCODE_CMOV, run_cmov, select_element, select_element},
};

}  // namespace

std::span<const Row> move_rows() { return rows; }

}  // namespace heddle::interpreter
