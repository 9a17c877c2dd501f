// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
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

/// Stands for a code entry whose offset may not be known yet: a label, or an object that is declared first
/// and defined later (references go to the definition, PRM 18.5.1.1). Symbol{} refers to nothing.
enum class Symbol : uint32_t {};

/// The set of distinct entries of a growing section, which lets equal entries share one offset. A hash table
/// with open addressing.
class EntryTable {
 public:
  /// Returns the offset of an entry with the same bytes as the one from `start` to the end of `section`. If
  /// there is none, adds the entry to the table and returns `start`.
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

/// Builds a BRIG module entry by entry (PRM chapter 18).
///
/// The result is a pure function of the sequence of calls. Equal data entries and equal operands are shared
/// (PRM 18.4, 18.6); a module built this way is *canonical*: text that is printed from it assembles to the
/// same bytes. Entries get their final offset at once. References from operands to code are Symbols, which
/// finish() replaces by offsets. The caller must leave fields named reserved 0.
///
/// The builder does not check the meaning of entries; Module::open() checks the result. Not thread safe.
class Builder {
 public:
  Builder();

  // ---- hsa_data ----
  Offset add_string(std::string_view text);
  Offset add_bytes(std::span<const std::byte> bytes);
  /// Adds a data entry that holds operand offsets, as the operands fields of instructions, pragmas and
  /// control directives need it. An empty list is an entry of 0 bytes, not offset 0.
  Offset add_offsets(std::span<const Offset> operands);

  // ---- symbols ----
  Symbol new_symbol();
  /// Sets the code entry that `symbol` refers to. The last call counts, so that a definition can replace a
  /// declaration.
  void define(Symbol symbol, Offset code);
  bool is_defined(Symbol symbol) const { return offset_of(symbol) != 0; }
  /// Returns 0 as long as `symbol` is not defined.
  Offset offset_of(Symbol symbol) const { return symbols_[static_cast<uint32_t>(symbol)]; }

  // ---- hsa_operand ----
  Offset add_register(hsa_brig_register_kind_t kind, uint16_t number);
  /// Adds constant_bytes. `bytes` are little-endian, with the elements of a packed constant in the reverse of
  /// their order in the text (PRM 18.6.6).
  Offset add_constant(isa::Type type, std::span<const std::byte> bytes);
  /// Adds constant_bytes of an integer, signal or float type of at most 64 bits, from the low bytes of
  /// `value`.
  Offset add_constant(isa::Type type, uint64_t value);
  /// Adds a constant_operand_list: an array, a packed constant (elements in the reverse of their order in the
  /// text) or, with type NONE, an aggregate (PRM 18.6.8).
  Offset add_constant_list(isa::Type type, std::span<const Offset> elements);
  /// Adds a constant_expression: addr(...) or a null pointer (PRM 18.6.7).
  Offset add_expression(isa::Type type, hsa_brig_expression_operation16_t operation,
                        std::span<const Offset> operands);
  Offset add_align(hsa_brig_alignment_t align);
  Offset add_zero(uint64_t byte_count);
  Offset add_wavesize();
  Offset add_string_operand(std::string_view text);
  /// Adds an operand_list: a vector operand.
  Offset add_vector(std::span<const Offset> elements);
  Offset add_code_ref(Symbol symbol);
  Offset add_code_list(std::span<const Symbol> symbols);
  /// Adds an address (PRM 18.6.2). Symbol{} and register 0 mean that the address has none.
  Offset add_address(Symbol symbol, Offset reg, uint64_t offset);
  /// Adds any operand struct that begins with hsa_brig_base_t: images, samplers and operands of extensions.
  /// Sets byte_count; the caller sets the kind. The struct must not hold code offsets.
  template <typename T>
  Offset add_operand(T entry) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    set_byte_count(&entry, sizeof entry);
    return intern_operand(std::as_bytes(std::span(&entry, 1)));
  }

  // ---- hsa_code ----
  /// Returns the offset that the next code entry will have.
  Offset code_end() const { return static_cast<Offset>(code_.size()); }
  /// Appends a directive or instruction struct. Sets byte_count; the caller sets the kind.
  template <typename T>
  Offset add_code(T entry) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    set_byte_count(&entry, sizeof entry);
    return append_code(std::as_bytes(std::span(&entry, 1)));
  }
  /// Appends an instruction in the format `fields.kind`, which must be one of HSA_BRIG_KIND_INST_*.
  Offset add_instruction(const isa::Fields& fields, std::span<const Offset> operands);
  /// Appends pad n, which has (n + 1) * 4 bytes (PRM 13.3). n is at most 16382, because byte_count has 16
  /// bits.
  Offset add_pad(unsigned n);
  /// Returns a code entry, for fields that are only known later such as first_code_block_entry and
  /// next_module_entry. The reference is valid until the next entry is added. T must fit the kind of the
  /// entry.
  template <typename T>
  T& code_as(Offset offset) {
    static_assert(alignof(T) <= 4);
    assert(offset % 4 == 0 && offset + sizeof(T) <= code_.size());
    return *reinterpret_cast<T*>(code_.data() + offset);
  }

  /// Returns the module: header, section index, hsa_data, hsa_code and hsa_operand, in BRIG 1.2 with a hash
  /// of zeros. Fails if a symbol that is referred to is not defined, or if a section or entry is larger than
  /// BRIG can represent. The builder must not be used afterwards.
  Result<std::vector<std::byte>> finish();

 private:
  struct Fixup {
    Offset place;  // of the 32-bit field that holds the symbol
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
  EntryTable code_list_table_;  // lists of symbols: equal bytes elsewhere in hsa_data mean something else
  EntryTable operand_table_;
  std::vector<Offset> symbols_;
  std::vector<Fixup> fixups_;
};

}  // namespace heddle::brig
