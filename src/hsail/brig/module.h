// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <hsa/hsa_brig.h>

#include "support/diagnostic.h"

namespace heddle::brig {

/// Byte offset of an entry in its section, from the start of the section (PRM 18.1).
using Offset = uint32_t;

/// A BRIG module whose container and structure have been checked (PRM 18.2, 18.3).
///
/// open() looks at every byte a consumer will look at: the container and its sections, the size and kind of every
/// entry, every offset in every entry (it names an entry start of a kind that the referring field allows, or a data
/// entry), the nesting of code blocks and arg blocks, and for each instruction the count, kinds and register kinds
/// of its operands against the instruction set tables. After that the accessors below need no checks: whatever
/// bytes came in, walking a Module never reads out of bounds and never meets an operand it cannot have.
///
/// Views are plain pointers into the module's own aligned copy of the bytes; they live as long as the Module.
/// A Module is immutable and may be read from many threads. Copies share the bytes.
class Module {
 public:
  /// Null module: only for later assignment.
  Module() = default;

  /// Copies and checks `bytes` (any alignment; the BRIG module header says the size, which may be below bytes.size()).
  /// On errors returns an empty optional-like Module (operator bool false) and says why in `diagnostics`.
  static Module open(std::span<const std::byte> bytes, Diagnostics& diagnostics);

  explicit operator bool() const { return state_ != nullptr; }

  std::span<const std::byte> bytes() const;  ///< the whole module, 16-byte aligned
  std::span<const std::byte> code() const;     ///< section hsa_code, whole (offsets count from its start)
  std::span<const std::byte> operands() const; ///< section hsa_operand, whole
  std::span<const std::byte> data() const;     ///< section hsa_data, whole

  const hsa_brig_directive_module_t& header() const;  ///< the module directive

  // ---- entries -----------------------------------------------------------------------------------------------------
  Offset code_begin() const;  ///< first entry of hsa_code
  Offset code_end() const;    ///< size of hsa_code: one past the last entry

  /// The entry at `offset` of hsa_code. Valid for every entry start.
  const hsa_brig_base_t& code_entry(Offset offset) const;
  Offset next_code(Offset offset) const { return offset + code_entry(offset).byte_count; }
  bool is_instruction(Offset offset) const;

  /// The entry seen as one of the hsa_brig_* structs; T must fit its kind (asserted).
  template <typename T>
  const T& code_as(Offset offset) const {
    return reinterpret_cast<const T&>(code_entry(offset));
  }

  const hsa_brig_base_t& operand_entry(Offset offset) const;
  template <typename T>
  const T& operand_as(Offset offset) const {
    return reinterpret_cast<const T&>(operand_entry(offset));
  }

  /// Bytes of a data entry (PRM 18.3.1); offset 0 gives an empty span.
  std::span<const std::byte> data_bytes(Offset offset) const;
  std::string_view string(Offset offset) const;
  /// A data entry that holds offsets: operand lists of instructions, code lists, element lists.
  std::span<const Offset> offsets(Offset offset) const;

  /// Operands of an instruction (offsets into hsa_operand).
  std::span<const Offset> instruction_operands(Offset instruction) const;

  // ---- conveniences over directives ------------------------------------------------------------------------------------
  /// Name of a module, executable, variable, fbarrier, label; empty for unnamed.
  std::string_view name(Offset directive) const;

  struct State;

 private:
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// 64-bit value from its two halves (PRM 18.1: 64-bit fields are stored as two 32-bit halves).
inline uint64_t u64(hsa_brig_uint64_t v) { return (static_cast<uint64_t>(v.hi) << 32) | v.lo; }

}  // namespace heddle::brig
