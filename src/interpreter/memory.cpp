// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, addresses and segment conversions (PRM 5.8 lda, 5.16, 5.17, 6.3, 6.4).
#include <cassert>
#include <cstring>

#include "hsail/isa/types.h"
#include "interpreter/families.h"
#include "interpreter/guard.h"

namespace heddle::interpreter {
namespace {

/// Other threads may look at the memory, so aligned accesses of up to 8 bytes must not be torn. A copy of
/// constant size compiles to a single move.
void copy(std::byte* to, const std::byte* from, unsigned size) {
  const GuardedAccess access;
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 2:
      std::memcpy(to, from, 2);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
      break;
  }
}

const Address& address_operand(const Context& context, const Op& op, unsigned index) {
  return context.function->addresses[operand(context, op, index).index];
}

void run_ld(Context& context, const Op& op) {
  const auto destinations = elements(context, operand(context, op, 0));
  const unsigned size = isa::byte_size(op.type);
  const std::byte* at =
      locate(context, op.segment, address_operand(context, op, 1), size * destinations.size());
  if (at == nullptr) return;
  // All values are read before any is written, because the address register may be a destination.
  Value values[4];
  assert(destinations.size() <= std::size(values));
  for (size_t i = 0; i < destinations.size(); ++i) {
    copy(reinterpret_cast<std::byte*>(&values[i]), at + i * size, size);
  }
  for (size_t i = 0; i < destinations.size(); ++i) write(context, destinations[i], op.type, values[i]);
}

void run_st(Context& context, const Op& op) {
  const auto sources = elements(context, operand(context, op, 0));
  const unsigned size = isa::byte_size(op.type);
  std::byte* at = locate(context, op.segment, address_operand(context, op, 1), size * sources.size());
  if (at == nullptr) return;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Value value = read(context, sources[i]);
    copy(at + i * size, reinterpret_cast<const std::byte*>(&value), size);
  }
}

void run_lda(Context& context, const Op& op) {
  write_scalar(context, op, effective_address(context, address_operand(context, op, 1)));
}

// ---- segments: private and group memory are windows of the host's address space ----
struct Window {
  uint64_t base;
  uint64_t size;
  uint32_t null;
  bool contains(uint64_t flat) const { return flat - base < size; }
};
Window window(const Context& context, unsigned segment) {
  if (segment == HSA_BRIG_SEGMENT_GROUP) {
    return {reinterpret_cast<uint64_t>(context.group.memory), context.group.memory_size, null_group};
  }
  return {reinterpret_cast<uint64_t>(context.item.memory), context.item.memory_size, null_private};
}

/// A null flat address is in every segment (PRM 5.16).
void run_segmentp(Context& context, const Op& op) {
  const uint64_t flat = read_scalar(context, op, 1);
  const bool in_group = window(context, HSA_BRIG_SEGMENT_GROUP).contains(flat);
  const bool in_private = window(context, HSA_BRIG_SEGMENT_PRIVATE).contains(flat);
  bool result = flat == 0;
  switch (op.segment) {
    case HSA_BRIG_SEGMENT_GROUP:
      result = result || in_group;
      break;
    case HSA_BRIG_SEGMENT_PRIVATE:
      result = result || in_private;
      break;
    default:
      result = result || (!in_group && !in_private);
      break;
  }
  write_scalar(context, op, result);
}

void run_ftos(Context& context, const Op& op) {
  const uint64_t flat = read_scalar(context, op, 1);
  const Window segment = window(context, op.segment);
  write_scalar(context, op, flat == 0 ? segment.null : flat - segment.base);
}

void run_stof(Context& context, const Op& op) {
  const uint64_t address = read_scalar(context, op, 1);
  const Window segment = window(context, op.segment);
  write_scalar(context, op, address == segment.null ? 0 : segment.base + address);
}

void run_nullptr(Context& context, const Op& op) {
  switch (op.segment) {
    case HSA_BRIG_SEGMENT_GROUP:
      return write_scalar(context, op, null_group);
    case HSA_BRIG_SEGMENT_PRIVATE:
      return write_scalar(context, op, null_private);
    default:
      return write_scalar(context, op, 0);
  }
}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_LD, run_ld},           {HSA_BRIG_OPCODE_ST, run_st},
    {HSA_BRIG_OPCODE_LDA, run_lda},         {HSA_BRIG_OPCODE_SEGMENTP, run_segmentp},
    {HSA_BRIG_OPCODE_FTOS, run_ftos},       {HSA_BRIG_OPCODE_STOF, run_stof},
    {HSA_BRIG_OPCODE_NULLPTR, run_nullptr},
};

}  // namespace

std::span<const Row> memory_rows() { return rows; }

}  // namespace heddle::interpreter
