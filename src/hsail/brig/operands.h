// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hsa/hsa_brig_entries.h>

#include "hsail/brig/module.h"
#include "hsail/isa/isa.h"

/// Access to the operands of an opened Module (PRM 18.6). Every function has the precondition that the
/// operand is of the kind that it reads. Module::open() has ensured that the operands of an instruction have
/// the count, kinds, register kinds and constant sizes that isa::operands() gives for its variant.
namespace heddle::brig {

inline unsigned operand_kind(const Module& module, Offset operand) {
  return module.operand_entry(operand).kind;
}

inline bool is_register(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_REGISTER;
}
inline bool is_wavesize(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_WAVESIZE;
}
/// Reports whether an operand is a constant whose bytes are in the module.
inline bool is_constant_bytes(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES;
}
/// Reports whether an operand is addr(...) or a null pointer, whose value is only known at load time.
inline bool is_expression(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION;
}
/// Reports whether an operand is a list of constants: as an operand of an instruction a packed constant with
/// expressions among its elements, as an initializer also an array or aggregate.
inline bool is_constant_list(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST;
}
/// Reports whether an operand is any constant that may be an operand of an instruction, including WAVESIZE.
inline bool is_immediate(const Module& module, Offset operand) {
  return is_constant_bytes(module, operand) || is_wavesize(module, operand) ||
         is_expression(module, operand) || is_constant_list(module, operand);
}
inline bool is_address(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_ADDRESS;
}
/// Reports whether an operand is a vector (a, b, ...), which BRIG calls operand_list.
inline bool is_vector(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_OPERAND_LIST;
}
inline bool is_code_ref(const Module& module, Offset operand) {
  return operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_CODE_REF;
}

// ---- registers ----
struct Register {
  uint16_t kind = 0;  // hsa_brig_register_kind_t
  uint16_t number = 0;
  bool operator==(const Register&) const = default;
};

inline Register register_of(const Module& module, Offset operand) {
  assert(is_register(module, operand));
  const auto& entry = module.operand_as<hsa_brig_operand_register_t>(operand);
  return {entry.reg_kind, entry.reg_num};
}

/// For each register kind, the highest register number that the code block of a kernel or function uses, plus
/// 1; 0 for a kind that is not used. The limits of PRM 4.7 count registers this way.
struct RegisterCounts {
  unsigned control = 0;
  unsigned single = 0;
  unsigned wide = 0;  // d
  unsigned quad = 0;
};
RegisterCounts register_counts(const Module& module, Offset executable);

// ---- vectors ----
/// Returns the elements of a vector operand.
inline std::span<const Offset> vector_elements(const Module& module, Offset operand) {
  assert(is_vector(module, operand));
  return module.offsets(module.operand_as<hsa_brig_operand_operand_list_t>(operand).elements);
}

/// Returns the elements of a vector operand, or the operand itself if it is not a vector. `operand` must be
/// an element of a list of the module, such as instruction_operands(), because the result may be a view of
/// it.
inline std::span<const Offset> elements(const Module& module, const Offset& operand) {
  return is_vector(module, operand) ? vector_elements(module, operand) : std::span<const Offset>(&operand, 1);
}

// ---- addresses ----
/// The Location::part of an address that is its register.
inline constexpr uint32_t register_part = 2;

/// [symbol][reg + offset] (PRM 4.18).
struct Address {
  Offset symbol = 0;    // directive_variable in hsa_code, 0 if none
  Offset reg = 0;       // operand_register in hsa_operand, 0 if none
  uint64_t offset = 0;  // added modulo the size of the address; for 32-bit addresses the high half is 0
};

inline Address address_of(const Module& module, Offset operand) {
  assert(is_address(module, operand));
  const auto& entry = module.operand_as<hsa_brig_operand_address_t>(operand);
  return {entry.symbol, entry.reg, u64(entry.offset)};
}

// ---- references to code ----
/// Returns the directive that a code_ref refers to.
inline Offset code_ref(const Module& module, Offset operand) {
  assert(is_code_ref(module, operand));
  return module.operand_as<hsa_brig_operand_code_ref_t>(operand).ref;
}
/// Returns the directives that a code_list refers to: actual arguments, functions of scall or labels of sbr.
inline std::span<const Offset> code_list(const Module& module, Offset operand) {
  assert(operand_kind(module, operand) == HSA_BRIG_KIND_OPERAND_CODE_LIST);
  return module.offsets(module.operand_as<hsa_brig_operand_code_list_t>(operand).elements);
}

// ---- constants ----
/// Returns the type of any constant operand; NONE for an aggregate. The type has the size that the context
/// expects, but need not be the same type: integer constants may be signed or unsigned, and a bit type takes
/// any type of its size (PRM 18.6.1).
isa::Type constant_type(const Module& module, Offset operand);

/// Returns the little-endian bytes of constant_bytes.
inline std::span<const std::byte> constant_bytes(const Module& module, Offset operand) {
  assert(is_constant_bytes(module, operand));
  return module.data_bytes(module.operand_as<hsa_brig_operand_constant_bytes_t>(operand).bytes);
}

/// Writes the value of an immediate of type `expected` to `out`: its little-endian bytes, followed by zeros;
/// a b1 is 0 or 1. Element 0 of a packed value is in the lowest bytes. Returns false and writes nothing if
/// the value is not in the module, as for expressions and WAVESIZE.
bool immediate_bits(const Module& module, Offset operand, isa::Type expected, std::byte (&out)[16]);

/// Returns the value of an immediate of at most 64 bits, zero-extended. Precondition: immediate_bits()
/// returns true for it.
uint64_t immediate_u64(const Module& module, Offset operand, isa::Type expected);

/// Returns the value of an integer constant_bytes, extended to 64 bits according to its own type. For
/// constants without an expected type, as in control directives and pragmas.
uint64_t integer_value(const Module& module, Offset operand);

/// The value addr(symbol + displacement) or a null pointer (PRM 4.8.1, 18.6.7).
struct Expression {
  isa::Type type = 0;         // integer; the 64-bit value is truncated to it
  unsigned operation = 0;     // hsa_brig_expression_operation_t
  Offset symbol = 0;          // ADDR: variable, kernel or indirect function
  uint64_t displacement = 0;  // ADDR of a variable; modulo 2^64
};
Expression expression_of(const Module& module, Offset operand);

/// Returns the size in bytes of the value of a constant operand, including the padding and zeros of
/// aggregates.
uint64_t constant_byte_size(const Module& module, Offset operand);

/// Calls visit(uint64_t offset, Offset operand) in order for each leaf of an initializer: `operand` is
/// constant_bytes, constant_expression, constant_image or constant_sampler, and `offset` is where its value
/// begins, in bytes from the start of the initializer plus `begin`. Bytes between leaves, which come from
/// align and zero elements, are zero. Returns the size in bytes.
template <typename Visit>
uint64_t for_each_leaf(const Module& module, Offset operand, Visit&& visit, uint64_t begin = 0) {
  if (!is_constant_list(module, operand)) {
    visit(begin, operand);
    return constant_byte_size(module, operand);
  }
  const auto& list = module.operand_as<hsa_brig_operand_constant_operand_list_t>(operand);
  uint64_t at = 0;
  for (const Offset element : module.offsets(list.elements)) {
    switch (operand_kind(module, element)) {
      case HSA_BRIG_KIND_OPERAND_ALIGN: {
        const unsigned log2 = module.operand_as<hsa_brig_operand_align_t>(element).align - 1u;
        const uint64_t mask = (uint64_t{1} << log2) - 1;
        at = (at + mask) & ~mask;  // relative to the start of the aggregate (PRM 4.8.4)
        break;
      }
      case HSA_BRIG_KIND_OPERAND_ZERO:
        at += u64(module.operand_as<hsa_brig_operand_zero_t>(element).zero_byte_count);
        break;
      default:
        at += for_each_leaf(module, element, visit, begin + at);
    }
  }
  return at;
}

// ---- instructions ----
/// Returns the fixed part of an instruction, with the number of vector elements in Field::vector.
isa::Fields instruction_fields(const Module& module, Offset instruction);

}  // namespace heddle::brig
