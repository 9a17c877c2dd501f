// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hsail/brig/module.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/isa.h"

namespace heddle::brig {

/// The fixed part of an instruction, without its operands: equal keys mean equal isa::Fields. Code repeats a
/// few fixed parts with many operands, so results that depend on the fixed part alone are worth keeping in an
/// InstructionTable.
struct InstructionKey {
  uint64_t head = 0;  // kind, opcode, type, number of elements of the vector operand
  uint64_t tail = 0;  // the fields after inst_base
  bool operator==(const InstructionKey&) const = default;

  uint32_t hash() const {
    uint64_t mixed = (head ^ head >> 29) * 0x9e3779b97f4a7c15u ^ (tail ^ tail >> 31) * 0xff51afd7ed558ccdu;
    mixed ^= mixed >> 32;
    return static_cast<uint32_t>(mixed * 0xc4ceb9fe1a85ec53u >> 32);
  }
};

/// Returns the key of an instruction. Precondition: the operands of the instruction are operand entries.
inline InstructionKey instruction_key(const Module& module, Offset instruction) {
  const auto& inst = module.code_as<hsa_brig_inst_base_t>(instruction);
  const int vector = isa::vector_operand(inst.opcode);
  uint64_t vector_elements = 0;
  if (vector >= 0) {
    const auto operands = module.instruction_operands(instruction);
    if (static_cast<size_t>(vector) < operands.size()) {
      vector_elements = elements(module, operands[static_cast<size_t>(vector)]).size();
    }
  }
  InstructionKey key;
  key.head = inst.base.kind | uint64_t{inst.opcode} << 16 | uint64_t{inst.type} << 32 | vector_elements << 48;
  const auto tail = module.code_bytes(instruction).subspan(sizeof(hsa_brig_inst_base_t));
  static_assert(sizeof(hsa_brig_inst_mem_t) - sizeof(hsa_brig_inst_base_t) <=
                sizeof key.tail);  // the largest format
  std::memcpy(&key.tail, tail.data(), std::min(tail.size(), sizeof key.tail));
  return key;
}

/// Maps InstructionKeys to values: a hash table with open addressing, from which nothing is ever removed.
template <typename Value>
class InstructionTable {
 public:
  /// Returns the value for the key, or null if there is none. The pointer is valid until the next insert().
  Value* find(const InstructionKey& key) {
    if (slots_.empty()) return nullptr;
    const uint32_t slot = slots_[slot_of(key)];
    return slot == 0 ? nullptr : &entries_[slot - 1].second;
  }
  /// Adds a value and returns it; the reference is valid until the next insert(). Precondition: find(key) is
  /// null.
  Value& insert(const InstructionKey& key, Value value) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    entries_.emplace_back(key, std::move(value));
    slots_[slot_of(key)] = static_cast<uint32_t>(entries_.size());
    return entries_.back().second;
  }

 private:
  size_t slot_of(const InstructionKey& key) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = key.hash() & mask;
    while (slots_[slot] != 0 && entries_[slots_[slot] - 1].first != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(std::max<size_t>(256, slots_.size() * 2), 0);
    for (size_t i = 0; i < entries_.size(); ++i)
      slots_[slot_of(entries_[i].first)] = static_cast<uint32_t>(i + 1);
  }

  std::vector<uint32_t> slots_;  // index in entries_ + 1; 0 = free
  std::vector<std::pair<InstructionKey, Value>> entries_;
};

}  // namespace heddle::brig
