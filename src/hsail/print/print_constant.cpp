// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and initializers (PRM 4.8, 18.6.1).
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/isa/names.h"
#include "hsail/print/printer.h"

namespace heddle::print {
namespace {

uint64_t low_bits(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

int64_t sign_extended(std::span<const std::byte> bytes) {
  const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes.size());
  return static_cast<int64_t>(low_bits(bytes) << shift) >> shift;
}

/// Returns the value of an IEEE half. Only used in comments.
double half_value(uint64_t bits) {
  const unsigned exponent = bits >> 10 & 31;
  const auto fraction = static_cast<double>(bits & 0x3ff);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024 + fraction, int(exponent) - 25);
}

}  // namespace

/// Reports whether an integer constant of `type` may be printed as a literal without its type in this
/// context.
bool Printer::literal_suffices(isa::Type type, bool negative, Place place) const {
  switch (place.context) {
    case Context::value:
      // Where an integer is expected, a literal gets that type. Where a bit type is expected, a literal is
      // signed if it is negative, and unsigned otherwise (PRM 18.6.1).
      return !isa::is_bit(place.expected) || place.expected == HSA_BRIG_TYPE_B1 ||
             isa::is_signed(type) == negative;
    case Context::pragma:
      return type == HSA_BRIG_TYPE_U64;
    case Context::element:
      return true;
    case Context::typed:
      return false;
  }
  return false;
}

void Printer::print_constant(Offset operand, Place place) {
  switch (brig::operand_kind(module_, operand)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
      return print_bytes(brig::constant_type(module_, operand), brig::constant_bytes(module_, operand),
                         place);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
      return print_expression(operand, place);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      return print_constant_list(operand);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
      return print_image(operand);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER:
      return print_sampler(operand);
    case HSA_BRIG_KIND_OPERAND_ALIGN:
      put("align(");
      put_number(1u << (module_.operand_as<hsa_brig_operand_align_t>(operand).align - 1));
      return put(')');
    case HSA_BRIG_KIND_OPERAND_ZERO:
      put("zero(");
      put_number(brig::u64(module_.operand_as<hsa_brig_operand_zero_t>(operand).zero_byte_count));
      return put(')');
    default:
      return;  // no other kind is a constant
  }
}

/// Prints an initializer. In text, arrays of bit types are initialized by aggregates. A module may have an
/// array constant instead, which stands for an aggregate of its elements (PRM 18.6.1).
void Printer::print_initializer(Offset operand, isa::Type type) {
  const isa::Type given = brig::constant_type(module_, operand);
  if (!isa::is_array(type) || !isa::is_bit(isa::array_element(type)) || !isa::is_array(given))
    return print_constant(operand, {Context::value, type});
  put('{');
  if (brig::is_constant_list(module_, operand)) {
    print_elements(operand, {Context::typed});
  } else {
    print_constant(operand, {Context::typed});
  }
  put('}');
}

void Printer::print_bytes(isa::Type type, std::span<const std::byte> bytes, Place place) {
  // A constant that differs from the expected integer in its sign alone is the same bits (18.6.1). The text
  // gives it the expected type, so it must show the value that the bits have in that type.
  if (place.context == Context::value && isa::is_integer(place.expected)) {
    assert(isa::is_integer(type) && isa::byte_size(type) == isa::byte_size(place.expected));
    type = place.expected;
  }
  if (place.context == Context::value && isa::is_bit(place.expected) && is_1_0_)
    type = isa::unsigned_constant_type(place.expected);  // as which text of this version is encoded
  if (isa::is_array(type)) return print_array(isa::array_element(type), bytes);
  if (isa::is_packed(type)) return print_packed(type, bytes);
  const bool is_negative = isa::is_signed(type) && sign_extended(bytes) < 0;
  const bool is_bare = isa::is_float(type)
                           ? place.context != Context::typed
                           : isa::is_integer(type) && literal_suffices(type, is_negative, place);
  if (!is_bare) {
    put(isa::name(isa::Names::type, type));
    put('(');
  }
  if (isa::is_float(type)) {
    print_float(type, bytes);
  } else {
    print_integer(type, bytes);
  }
  if (!is_bare) put(')');
}

void Printer::print_integer(isa::Type type, std::span<const std::byte> bytes) {
  if (isa::is_signed(type)) {
    put_signed(sign_extended(bytes));
  } else {
    put_number(low_bits(bytes));
  }
}

void Printer::print_float(isa::Type type, std::span<const std::byte> bytes) {
  const uint64_t bits = low_bits(bytes);
  put(type == HSA_BRIG_TYPE_F16 ? "0h" : type == HSA_BRIG_TYPE_F32 ? "0f" : "0d");
  put_hex(bits, static_cast<unsigned>(bytes.size()) * 2);
  if (!options_.decimals) return;
  if (type == HSA_BRIG_TYPE_F64) {
    put_note(fmt::format("{}", std::bit_cast<double>(bits)));
  } else if (type == HSA_BRIG_TYPE_F32) {
    put_note(fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits))));
  } else {
    put_note(fmt::format("{}", half_value(bits)));
  }
}

void Printer::print_array(isa::Type element, std::span<const std::byte> bytes) {
  const size_t size = isa::byte_size(element);
  // The grammar requires the type again for each packed or opaque element.
  const Place place{isa::is_opaque(element) ? Context::typed : Context::element};
  put(isa::name(isa::Names::type, element));
  put("[](");
  for (size_t at = 0; at < bytes.size(); at += size) {
    if (at != 0) put(", ");
    print_bytes(element, bytes.subspan(at, size), place);
  }
  put(')');
}

/// Prints the elements from the most significant to the least, as text has them (PRM 4.14.2).
void Printer::print_packed(isa::Type type, std::span<const std::byte> bytes) {
  const isa::Type element = isa::base_type(type);
  const size_t size = isa::byte_size(element);
  put(isa::name(isa::Names::type, type));
  put('(');
  for (size_t at = bytes.size(); at > 0; at -= size) {
    if (at != bytes.size()) put(", ");
    print_bytes(element, bytes.subspan(at - size, size), {Context::element});
  }
  put(')');
}

void Printer::print_expression(Offset operand, Place place) {
  const brig::Expression expression = brig::expression_of(module_, operand);
  const bool is_bare = literal_suffices(expression.type, false, place);
  if (!is_bare) {
    put(isa::name(isa::Names::type, expression.type));
    put('(');
  }
  put(isa::name(isa::Names::null_address, expression.operation));
  if (expression.operation == HSA_BRIG_EXPRESSION_OPERATION_ADDR) {
    put('(');
    put(module_.name(expression.symbol));
    if (const auto displacement = static_cast<int64_t>(expression.displacement); displacement != 0) {
      if (displacement > 0) put('+');
      put_signed(displacement);
    }
    put(')');
  }
  if (!is_bare) put(')');
}

void Printer::print_constant_list(Offset operand) {
  const auto& entry = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(operand);
  const bool is_aggregate = entry.type == HSA_BRIG_TYPE_NONE;
  const Place place{is_aggregate ? Context::typed : Context::element};
  if (!is_aggregate) {
    put(isa::name(isa::Names::type, isa::array_element(entry.type)));
    put(isa::is_array(entry.type) ? "[](" : "(");
  } else {
    put('{');
  }
  print_elements(operand, place);
  put(is_aggregate ? '}' : ')');
}

/// Prints the elements of a list; those of a packed constant from the most significant to the least.
void Printer::print_elements(Offset list, Place place) {
  const auto& entry = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(list);
  const auto elements = module_.offsets(entry.elements);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) put(", ");
    print_constant(isa::is_packed(entry.type) ? elements[elements.size() - 1 - i] : elements[i], place);
  }
}

void Printer::print_image(Offset operand) {
  const auto& entry = module_.operand_as<hsa_ext_brig_operand_constant_image_t>(operand);
  put(isa::name(isa::Names::type, entry.type));
  put("(geometry = ");
  put(isa::name(isa::Names::image_geometry, entry.geometry));
  const std::pair<std::string_view, uint64_t> sizes[] = {{", width = ", brig::u64(entry.width)},
                                                         {", height = ", brig::u64(entry.height)},
                                                         {", depth = ", brig::u64(entry.depth)},
                                                         {", array = ", brig::u64(entry.array)}};
  for (const auto& [name, size] : sizes) {
    if (size == 0) continue;
    put(name);
    put_number(size);
  }
  put(", channel_type = ");
  put(isa::name(isa::Names::channel_type, entry.channel_type));
  put(", channel_order = ");
  put(isa::name(isa::Names::channel_order, entry.channel_order));
  put(')');
}

void Printer::print_sampler(Offset operand) {
  const auto& entry = module_.operand_as<hsa_ext_brig_operand_constant_sampler_t>(operand);
  put(isa::name(isa::Names::type, entry.type));
  put("(coord = ");
  put(isa::name(isa::Names::sampler_coord, entry.coord));
  put(", filter = ");
  put(isa::name(isa::Names::sampler_filter, entry.filter));
  put(", addressing = ");
  put(isa::name(isa::Names::sampler_addressing, entry.addressing));
  put(')');
}

}  // namespace heddle::print
