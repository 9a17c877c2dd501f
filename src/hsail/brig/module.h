// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <hsa/hsa_brig_entries.h>

#include "support/diagnostic.h"

namespace heddle::brig {

static_assert(std::endian::native == std::endian::little,
              "views read BRIG, which is little-endian, in place");

/// Byte offset of an entry in its section, from the start of the section (PRM 18.1).
using Offset = uint32_t;

/// Returns the value of a 64-bit field, which BRIG stores as two 32-bit halves (PRM 18.1).
inline uint64_t u64(hsa_brig_uint64_t v) { return (static_cast<uint64_t>(v.hi) << 32) | v.lo; }

/// A BRIG module whose container and structure have been checked (PRM 18.2, 18.3).
///
/// open() checks every byte that a consumer will read: the container and its sections, the size and kind of
/// every entry, every offset in every entry (it refers to the start of a data entry, or of an entry of a kind
/// that the referring field allows), the nesting of code blocks and arg blocks, and for each instruction the
/// count, kinds and register kinds of its operands against the instruction set tables. The accessors below
/// therefore need no checks: whatever bytes were opened, walking a Module never reads out of bounds and never
/// finds an operand that the instruction cannot have. open() also enforces the rules of the language that
/// need no control flow analysis, for BRIG from other producers and for the assembler, so that every Module
/// prints to text that assembles.
///
/// Besides the form of each single entry, a consumer may rely on the following:
/// - There is one module directive; only annotations (comment, loc, pad, pragma) stand before it.
/// - The formals of an executable follow it without gaps, outputs first, then its code block, which ends at
///   next_module_entry. Executables do not nest. Declarations and signatures have an empty code block.
/// - A code block has control directives, then variables and fbarriers, then labels, instructions and arg
///   blocks. Arg blocks do not nest, and hold their variables first and exactly one call.
/// - A call passes as many arguments as the callee has formals. Each is a variable of the same arg block,
///   passed once, of the formal's type, size and alignment; the last may be longer than a formal array
///   without size.
/// - An instruction names only variables and fbarriers of module scope or of its own code block or arg block,
///   in the segment the instruction says, and only labels of the same code block and arg block.
/// - What an entry names is declared before it and not hidden by a variable of its arg block.
/// - A reference to a symbol of module scope goes to its definition if the module has one, else to its first
///   declaration (PRM 18.5.1.1). Names are well-formed identifiers and unique in their scope, and what has
///   module linkage is defined.
/// - Input arguments of functions are only loaded, output arguments only stored to.
/// - The registers of a code block are within the limits of PRM 4.7.
/// - Types are those that the profile, the machine model and the extensions of the module allow.
/// - The size of every variable fits the addresses of its segment and equals the size of its initializer.
///   Constants are nested to a finite depth. Only values that are the same for all agents initialize a
///   variable that all agents share.
///
/// Views are plain pointers into the module's own aligned copy of the bytes; they live as long as the Module.
/// A Module is immutable and may be read from many threads. Copies share the bytes.
class Module {
 public:
  /// Makes a null module, which may only be tested, destroyed or assigned to.
  Module() = default;

  /// Copies and checks `bytes`, which need no alignment and may be longer than the module, whose size is in
  /// its header. On errors returns a null module and reports them in `diagnostics`. Reads BRIG of major
  /// version 1 up to minor version 2 (PRM 18.3.31).
  static Module open(std::span<const std::byte> bytes, Diagnostics& diagnostics);

  explicit operator bool() const { return state_ != nullptr; }
  /// Reports whether both are copies of one opened module.
  bool same_as(const Module& other) const { return state_ == other.state_; }

  std::span<const std::byte> bytes() const {
    return {state_->bytes(), state_->size};
  }  ///< all, 16-byte aligned
  std::span<const std::byte> code() const {
    return state_->code.bytes();
  }  ///< hsa_code, offsets count from its start
  std::span<const std::byte> operands() const { return state_->operands.bytes(); }  ///< hsa_operand
  std::span<const std::byte> data() const { return state_->data.bytes(); }          ///< hsa_data

  const hsa_brig_module_header_t& container() const {
    return *reinterpret_cast<const hsa_brig_module_header_t*>(state_->bytes());
  }
  /// The module directive.
  const hsa_brig_directive_module_t& header() const {
    return code_as<hsa_brig_directive_module_t>(state_->module);
  }
  Offset module_directive() const { return state_->module; }

  // ---- entries ----
  Offset code_begin() const { return state_->code.first; }  ///< first entry of hsa_code
  Offset code_end() const { return state_->code.size; }     ///< size of hsa_code: one past the last entry
  Offset data_begin() const { return state_->data.first; }
  Offset operands_begin() const { return state_->operands.first; }
  Offset operands_end() const { return state_->operands.size; }

  /// Returns the entry of hsa_code at `offset`, which must be the start of an entry.
  const hsa_brig_base_t& code_entry(Offset offset) const {
    assert(offset >= state_->code.first && offset < state_->code.size);
    return *reinterpret_cast<const hsa_brig_base_t*>(state_->code.base + offset);
  }
  Offset next_code(Offset offset) const { return offset + code_entry(offset).byte_count; }
  unsigned code_kind(Offset offset) const { return code_entry(offset).kind; }
  bool is_instruction(Offset offset) const {
    const unsigned kind = code_kind(offset);
    return kind >= HSA_BRIG_KIND_INST_BEGIN && kind < HSA_BRIG_KIND_INST_END;
  }
  /// Reports whether the entry is a kernel, function, indirect function or signature.
  bool is_executable(Offset offset) const;
  /// Reports whether the directive is the definition, not a declaration, of a variable, fbarrier or
  /// executable.
  bool is_definition(Offset directive) const;

  /// Returns the entry as one of the hsa_brig_* structs. T must be the struct of its kind; only the size is
  /// asserted.
  template <typename T>
  const T& code_as(Offset offset) const {
    assert(sizeof(T) <= code_entry(offset).byte_count);
    return reinterpret_cast<const T&>(code_entry(offset));
  }
  /// Returns all bytes of an entry, including fields beyond its struct.
  std::span<const std::byte> code_bytes(Offset offset) const {
    return {state_->code.base + offset, code_entry(offset).byte_count};
  }

  const hsa_brig_base_t& operand_entry(Offset offset) const {
    assert(offset >= state_->operands.first && offset < state_->operands.size);
    return *reinterpret_cast<const hsa_brig_base_t*>(state_->operands.base + offset);
  }
  template <typename T>
  const T& operand_as(Offset offset) const {
    assert(sizeof(T) <= operand_entry(offset).byte_count);
    return reinterpret_cast<const T&>(operand_entry(offset));
  }

  /// Returns the bytes of a data entry (PRM 18.3.1), or an empty span for offset 0.
  std::span<const std::byte> data_bytes(Offset offset) const {
    if (offset == 0) return {};
    const std::byte* entry = state_->data.base + offset;
    return {entry + sizeof(uint32_t), *reinterpret_cast<const uint32_t*>(entry)};
  }
  std::string_view string(Offset offset) const {
    const auto bytes = data_bytes(offset);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// Returns the elements of a data entry that holds offsets: an operand list of an instruction, a code list
  /// or an element list.
  std::span<const Offset> offsets(Offset offset) const {
    const auto bytes = data_bytes(offset);
    return {reinterpret_cast<const Offset*>(bytes.data()), bytes.size() / sizeof(Offset)};
  }

  /// Returns the operands of an instruction as offsets into hsa_operand.
  std::span<const Offset> instruction_operands(Offset instruction) const {
    return offsets(code_as<hsa_brig_inst_base_t>(instruction).operands);
  }

  // ---- conveniences over directives ----
  /// Returns the name of a module, extension, executable, variable, fbarrier or label; empty if it has none.
  std::string_view name(Offset directive) const;
  /// Returns where that name is in hsa_data, or 0 if there is none. A directive that has not been checked may
  /// give an offset that is no entry.
  Offset name_offset(Offset directive) const;

  /// Calls visit(Offset variable, bool is_output) for each formal argument, outputs first.
  template <typename Visit>
  void for_each_formal(Offset executable, Visit&& visit) const {
    const auto& directive = code_as<hsa_brig_directive_executable_t>(executable);
    Offset formal = next_code(executable);
    for (unsigned i = 0; i < unsigned{directive.out_arg_count} + directive.in_arg_count; ++i) {
      visit(formal, i < directive.out_arg_count);
      formal = next_code(formal);
    }
  }
  /// Calls visit(Offset entry) for each entry of module scope, skipping the formals and code blocks of
  /// executables.
  template <typename Visit>
  void for_each_in_module_scope(Visit&& visit) const {
    for (Offset at = code_begin(); at != code_end();) {
      visit(at);
      at = is_executable(at) ? code_as<hsa_brig_directive_executable_t>(at).next_module_entry : next_code(at);
    }
  }
  /// Calls visit(Offset entry) for each entry of the code block of an executable.
  template <typename Visit>
  void for_each_in_code_block(Offset executable, Visit&& visit) const {
    const auto& directive = code_as<hsa_brig_directive_executable_t>(executable);
    for (Offset at = directive.first_code_block_entry; at != directive.next_module_entry; at = next_code(at))
      visit(at);
  }

  struct Section {
    const std::byte* base = nullptr;
    Offset first = 0;  // first entry
    Offset size = 0;
    std::span<const std::byte> bytes() const { return {base, size}; }
  };
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  struct State {
    std::vector<Block> storage;
    size_t size = 0;
    Section data;
    Section code;
    Section operands;
    Offset module = 0;
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(storage.data()); }
  };

 private:
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace heddle::brig
