// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/types.h"

#include <algorithm>
#include <cassert>

namespace heddle::isa {
namespace {

// The size of each base type, by its code. Opaque handles have 64 bits in both machine models (PRM 4.13.3).
constexpr uint8_t base_bits[] = {
    0,                        // none
    8,  16, 32, 64,           // u
    8,  16, 32, 64,           // s
    16, 32, 64,               // f
    1,  8,  16, 32, 64, 128,  // b
    64, 64, 64, 64, 64, 64,   // samp, roimg, woimg, rwimg, sig32, sig64
};
static_assert(sizeof(base_bits) == HSA_BRIG_TYPE_SIG64 + 1);

constexpr unsigned bits_of_base(Type type) {
  const Type base = base_type(type);
  return base < sizeof(base_bits) ? base_bits[base] : 0;
}

constexpr unsigned pack_bits(Type type) {
  const unsigned code = (type & HSA_BRIG_TYPE_CLASS_PACK_MASK) >> HSA_BRIG_TYPE_CLASS_PACK_SHIFT;
  return code == 0 ? 0 : 16u << code;
}

constexpr Type all_type_bits =
    HSA_BRIG_TYPE_CLASS_BASE_MASK | HSA_BRIG_TYPE_CLASS_PACK_MASK | HSA_BRIG_TYPE_CLASS_ARRAY_MASK;

}  // namespace

bool is_valid(Type type) {
  if ((type & ~all_type_bits) != 0 || bits_of_base(type) == 0) return false;
  const Type element = array_element(type);
  if (is_packed(element)) {
    const Type base = base_type(element);
    return (is_integer(base) || is_float(base)) && pack_bits(element) >= 2 * bits_of_base(base);
  }
  return type != array_of(HSA_BRIG_TYPE_B1);
}

std::optional<Type> packed_type(Type element, unsigned bits) {
  for (const unsigned pack :
       {HSA_BRIG_TYPE_CLASS_PACK_32, HSA_BRIG_TYPE_CLASS_PACK_64, HSA_BRIG_TYPE_CLASS_PACK_128}) {
    const Type type = static_cast<Type>(element | pack);
    if (pack_bits(type) == bits && base_type(element) == element && is_valid(type)) return type;
  }
  return std::nullopt;
}

Type unsigned_constant_type(Type bit_type) {
  assert(is_bit(bit_type));
  switch (byte_size(bit_type)) {
    case 1:
      return HSA_BRIG_TYPE_U8;
    case 2:
      return HSA_BRIG_TYPE_U16;
    case 4:
      return HSA_BRIG_TYPE_U32;
    case 8:
      return HSA_BRIG_TYPE_U64;
    default:
      return HSA_BRIG_TYPE_U8X16;
  }
}

unsigned bit_size(Type type) {
  if (!is_valid(type)) return 0;
  const Type element = array_element(type);
  return is_packed(element) ? pack_bits(element) : bits_of_base(element);
}

unsigned byte_size(Type type) { return (bit_size(type) + 7) / 8; }

unsigned natural_alignment(Type type) { return byte_size(type); }

unsigned packed_dimension(Type type) {
  if (!is_valid(type)) return 0;
  const Type element = array_element(type);
  return is_packed(element) ? pack_bits(element) / bits_of_base(element) : 1;
}

Type as_unsigned(Type type) {
  if (!is_valid(type) || is_array(type)) return HSA_BRIG_TYPE_NONE;
  const unsigned bits = bits_of_base(type);
  if (is_opaque(type)) return HSA_BRIG_TYPE_NONE;
  for (Type base = HSA_BRIG_TYPE_U8; base <= HSA_BRIG_TYPE_U64; ++base) {
    if (base_bits[base] == bits) return static_cast<Type>(base | (type & HSA_BRIG_TYPE_CLASS_PACK_MASK));
  }
  return HSA_BRIG_TYPE_NONE;
}

std::optional<hsa_brig_register_kind_t> register_kind(Type type) {
  if (is_array(type)) return std::nullopt;
  switch (bit_size(type)) {
    case 1:
      return HSA_BRIG_REGISTER_KIND_CONTROL;
    case 8:
    case 16:
    case 32:
      return HSA_BRIG_REGISTER_KIND_SINGLE;
    case 64:
      return HSA_BRIG_REGISTER_KIND_DOUBLE;
    case 128:
      return HSA_BRIG_REGISTER_KIND_QUAD;
    default:
      return std::nullopt;
  }
}

unsigned register_bits(unsigned register_kind) {
  constexpr uint8_t bits[] = {1, 32, 64, 128};
  return register_kind < 4 ? bits[register_kind] : 0;
}

char register_letter(unsigned register_kind) { return register_kind < 4 ? "csdq"[register_kind] : '?'; }

unsigned address_bits(unsigned segment, unsigned machine_model) {
  switch (segment) {
    case HSA_BRIG_SEGMENT_FLAT:
    case HSA_BRIG_SEGMENT_GLOBAL:
    case HSA_BRIG_SEGMENT_READONLY:
    case HSA_BRIG_SEGMENT_KERNARG:
      return machine_model == HSA_BRIG_MACHINE_MODEL_SMALL ? 32 : 64;
    case HSA_BRIG_SEGMENT_GROUP:
    case HSA_BRIG_SEGMENT_PRIVATE:
    case HSA_BRIG_SEGMENT_SPILL:
    case HSA_BRIG_SEGMENT_ARG:
      return 32;
    default:
      return 0;
  }
}

}  // namespace heddle::isa
