// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

#include <hsa/hsa_brig_types.h>

/// Properties of BRIG type codes (PRM 4.13, 18.3.28), registers (PRM 4.7, 4.16.2) and address sizes
/// (PRM Table 2-3). Every function accepts any 16-bit value, so codes from untrusted modules need no check
/// first: an unknown code belongs to no class and has size 0. All functions are pure.
namespace heddle::isa {

using Type = hsa_brig_type16_t;

/// Reports whether a type code is defined: a base type, a packed type or an array of one of these other than
/// b1.
bool is_valid(Type type);

constexpr bool is_array(Type type) { return (type & HSA_BRIG_TYPE_CLASS_ARRAY_MASK) != 0; }
/// Returns the type without the array flag.
constexpr Type array_element(Type type) { return static_cast<Type>(type & ~HSA_BRIG_TYPE_CLASS_ARRAY_MASK); }
constexpr Type array_of(Type type) { return static_cast<Type>(type | HSA_BRIG_TYPE_CLASS_ARRAY); }

/// Reports whether a type is packed, like u8x4. Arrays of packed types are not.
constexpr bool is_packed(Type type) {
  return !is_array(type) && (type & HSA_BRIG_TYPE_CLASS_PACK_MASK) != HSA_BRIG_TYPE_CLASS_PACK_NONE;
}
/// Returns the base type: u8 for u8x4, or the type itself if it is not packed. For an array, that of its
/// element.
constexpr Type base_type(Type type) { return static_cast<Type>(type & HSA_BRIG_TYPE_CLASS_BASE_MASK); }
/// Returns the packed type of `bits` (32, 64 or 128) bits with elements of type `element`, or nothing if
/// there is no such type.
std::optional<Type> packed_type(Type element, unsigned bits);

// Classes of non-array, non-packed types.
constexpr bool is_unsigned(Type type) { return type >= HSA_BRIG_TYPE_U8 && type <= HSA_BRIG_TYPE_U64; }
constexpr bool is_signed(Type type) { return type >= HSA_BRIG_TYPE_S8 && type <= HSA_BRIG_TYPE_S64; }
constexpr bool is_integer(Type type) { return is_unsigned(type) || is_signed(type); }
constexpr bool is_float(Type type) { return type >= HSA_BRIG_TYPE_F16 && type <= HSA_BRIG_TYPE_F64; }
constexpr bool is_bit(Type type) { return type >= HSA_BRIG_TYPE_B1 && type <= HSA_BRIG_TYPE_B128; }
constexpr bool is_image(Type type) { return type >= HSA_BRIG_TYPE_ROIMG && type <= HSA_BRIG_TYPE_RWIMG; }
constexpr bool is_sampler(Type type) { return type == HSA_BRIG_TYPE_SAMP; }
constexpr bool is_signal(Type type) { return type == HSA_BRIG_TYPE_SIG32 || type == HSA_BRIG_TYPE_SIG64; }
/// Reports whether a type is opaque: images, samplers and signals are handles of 64 bits (PRM 4.13.3).
constexpr bool is_opaque(Type type) { return is_image(type) || is_sampler(type) || is_signal(type); }

/// Returns the type in which BRIG 1.0 keeps every constant of a bit type. Later versions have signed and
/// packed ones, too (PRM 18.6.1).
Type unsigned_constant_type(Type bit_type);

/// Returns the size of a value in bits: 1 for b1, 64 for opaque types, 0 for NONE and unknown codes. For an
/// array, that of one element.
unsigned bit_size(Type type);
/// Returns the size in memory in bytes, which is 1 for b1. For an array, that of one element.
unsigned byte_size(Type type);
/// Returns the natural alignment in bytes (PRM 4.3.10): the size of the type, or of one element of an array.
/// 0 for unknown codes.
unsigned natural_alignment(Type type);
/// Returns the number of elements of a packed type, 1 for other known types, 0 for unknown codes.
unsigned packed_dimension(Type type);

/// Returns the unsigned packed type of the same shape (u16x2 for f16x2), or the unsigned integer type of the
/// same size for a scalar of 8 to 64 bits. NONE if there is none.
Type as_unsigned(Type type);

/// Returns the kind of register that holds a value of the type (PRM 4.16.2): c for b1, s up to 32 bits, d for
/// 64 bits and opaque types, q for 128 bits. Nothing for NONE, arrays and unknown codes.
std::optional<hsa_brig_register_kind_t> register_kind(Type type);
/// Returns the size of a register in bits: 1, 32, 64 or 128; 0 for an unknown kind.
unsigned register_bits(unsigned register_kind);
/// Returns c, s, d or q, or '?' for an unknown kind.
char register_letter(unsigned register_kind);

/// Returns the size in bits of an address in the segment (PRM Table 2-3): 32 for group, private, spill and
/// arg; 32 or 64, depending on the machine model, for flat, global, readonly and kernarg; 0 for NONE and
/// unknown segments.
unsigned address_bits(unsigned segment, unsigned machine_model);

}  // namespace heddle::isa
