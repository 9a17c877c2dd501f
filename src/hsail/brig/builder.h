// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hsa/hsa_brig_entries.h>
#include <hsa/hsa_brig_types.h>

#include "hsail/brig/module.h"
#include "hsail/isa/isa.h"
#include "support/result.h"

namespace heddle::brig {

/// A code entry that is referred to before its place is known: a label, or a symbol that is declared first
/// and defined later (references go to the definition, PRM 18.5.1.1). Symbol{} refers to nothing.
enum class Symbol : uint32_t {};

/// Set of entries with equal bytes in a growing section: open addressing over entry offsets.
class EntryTable {
 public:
  /// Offset of an entry equal to the bytes at [`start`, end of `section`), or `start` itself, which is then
  /// entered.
  Offset intern(const std::vector<std::byte>& section, size_t start);

 private:
  void grow();
  struct Slot {
    uint32_t hash = 0;
    uint32_t size = 0;
    Offset offset = 0;  // 0 = free
  };
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

/// Makes a BRIG module, entry by entry (PRM chapter 18).
///
/// The result is a pure function of the sequence of calls. Equal data entries and equal operands are shared
/// (18.4, 18.6); a module made this way is *canonical*: text that is printed from it assembles to the same
/// bytes. Entries get their final offset at once. References from operands to code go through Symbol and are
/// filled in by finish(). Fields named reserved are the caller's: leave them 0.
///
/// No checks of meaning here: open the result as a Module to have it checked. Not thread safe.
class Builder {
 public:
  Builder();

  // ---- hsa_data ----
  Offset add_string(std::string_view text);
  Offset add_bytes(std::span<const std::byte> bytes);
  /// Data entry with operand offsets: the operands field of instructions, pragmas, control directives. An
  /// empty list is an entry of 0 bytes, not offset 0.
  Offset add_offsets(std::span<const Offset> operands);

  // ---- symbols ----
  Symbol new_symbol();
  /// Sets the code entry that `symbol` refers to; may be called again, the last one counts (declaration, then
  /// definition).
  void define(Symbol symbol, Offset code);
  bool is_defined(Symbol symbol) const { return offset_of(symbol) != 0; }
  /// 0 as long as it is not defined.
  Offset offset_of(Symbol symbol) const { return symbols_[static_cast<uint32_t>(symbol)]; }

  // ---- hsa_operand ----
  Offset add_register(hsa_brig_register_kind_t kind, uint16_t number);
  /// constant_bytes: `bytes` are little-endian; elements of a packed constant in reverse order of the text
  /// (18.6.6).
  Offset add_constant(isa::Type type, std::span<const std::byte> bytes);
  /// constant_bytes of an integer, signal or float type of at most 64 bits: the low bytes of `value`.
  Offset add_constant(isa::Type type, uint64_t value);
  /// constant_operand_list: array, packed (elements in reverse order) or, with type NONE, aggregate (18.6.8).
  Offset add_constant_list(isa::Type type, std::span<const Offset> elements);
  /// addr(...) and nullptr (18.6.7).
  Offset add_expression(isa::Type type, hsa_brig_expression_operation16_t operation,
                        std::span<const Offset> operands);
  Offset add_align(hsa_brig_alignment_t align);
  Offset add_zero(uint64_t byte_count);
  Offset add_wavesize();
  Offset add_string_operand(std::string_view text);
  /// operand_list: a vector operand.
  Offset add_vector(std::span<const Offset> elements);
  Offset add_code_ref(Symbol symbol);
  Offset add_code_list(std::span<const Symbol> symbols);
  /// Address expression (18.6.2): symbol and register may be absent (Symbol{}, 0).
  Offset add_address(Symbol symbol, Offset reg, uint64_t offset);
  /// Images, samplers, and operands of extensions: any struct that begins with hsa_brig_base_t. byte_count is
  /// set here; the kind is the caller's. The struct must not hold code offsets.
  template <typename T>
  Offset add_operand(T entry) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    set_byte_count(&entry, sizeof entry);
    return intern_operand(std::as_bytes(std::span(&entry, 1)));
  }

  // ---- hsa_code ----
  /// Offset the next code entry will have.
  Offset code_end() const { return static_cast<Offset>(code_.size()); }
  /// Appends a directive or instruction struct. byte_count is set here; the kind is the caller's.
  template <typename T>
  Offset add_code(T entry) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    set_byte_count(&entry, sizeof entry);
    return append_code(std::as_bytes(std::span(&entry, 1)));
  }
  /// Appends an instruction in the format `fields.kind`, which must be one of HSA_BRIG_KIND_INST_*.
  Offset add_instruction(const isa::Fields& fields, std::span<const Offset> operands);
  /// pad n: (n + 1) * 4 bytes; n at most 16382, the largest that byte_count can say (13.3).
  Offset add_pad(unsigned n);
  /// A code entry for later changes: first_code_block_entry, next_module_entry, ... Valid until the next
  /// entry is added. T must fit its kind.
  template <typename T>
  T& code_as(Offset offset) {
    static_assert(alignof(T) <= 4);
    return *reinterpret_cast<T*>(code_.data() + offset);
  }

  /// The module: header, section index, hsa_data, hsa_code, hsa_operand; BRIG 1.2, hash zero. Fails if a
  /// symbol that is referred to has no definition, or a section or entry is larger than BRIG can say. The
  /// builder is used up.
  Result<std::vector<std::byte>> finish();

 private:
  struct Fixup {
    Offset place;  // of the 32-bit field that holds the number of the symbol
    bool in_data;
  };

  static void set_byte_count(void* entry, size_t size) {
    const auto byte_count = static_cast<uint16_t>(size);
    std::memcpy(entry, &byte_count, sizeof byte_count);
  }
  Offset intern_data(EntryTable& table, std::span<const std::byte> bytes);
  Offset intern_operand(std::span<const std::byte> entry);
  Offset append_code(std::span<const std::byte> entry);

  std::vector<std::byte> data_;
  std::vector<std::byte> code_;
  std::vector<std::byte> operands_;
  EntryTable data_table_;
  EntryTable code_list_table_;  // of symbol numbers: equal bytes elsewhere in hsa_data mean something else
  EntryTable operand_table_;
  std::vector<Offset> symbols_;
  std::vector<Fixup> fixups_;
};

}  // namespace heddle::brig
