// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and initializers (PRM 4.8, 4.10, Table 4-1) and how BRIG holds them (PRM 18.6.1).
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/assemble/literal.h"
#include "hsail/assemble/parser.h"
#include "hsail/isa/names.h"
#include "support/align.h"

namespace heddle::assemble {
namespace {

std::vector<std::byte> low_bytes(uint64_t value, unsigned size) {
  std::vector<std::byte> bytes(size);
  for (unsigned i = 0; i < size && i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  return bytes;
}

/// Returns the type of an untyped integer constant where `expected` is needed. Bit types have no constants of
/// their own, so an integer type of the same size stands in for them.
isa::Type integer_constant_type(isa::Type expected, bool negative) {
  if (expected == HSA_BRIG_TYPE_NONE) return HSA_BRIG_TYPE_U64;
  if (expected == HSA_BRIG_TYPE_B1) return HSA_BRIG_TYPE_U8;
  if (!isa::is_bit(expected)) return expected;
  switch (isa::bit_size(expected)) {
    case 8:
      return negative ? HSA_BRIG_TYPE_S8 : HSA_BRIG_TYPE_U8;
    case 16:
      return negative ? HSA_BRIG_TYPE_S16 : HSA_BRIG_TYPE_U16;
    case 32:
      return negative ? HSA_BRIG_TYPE_S32 : HSA_BRIG_TYPE_U32;
    default:
      return negative ? HSA_BRIG_TYPE_S64 : HSA_BRIG_TYPE_U64;
  }
}

isa::Type float_token_type(TokenKind kind) {
  return kind == TokenKind::half_float     ? HSA_BRIG_TYPE_F16
         : kind == TokenKind::single_float ? HSA_BRIG_TYPE_F32
                                           : HSA_BRIG_TYPE_F64;
}

bool is_float_token(TokenKind kind) {
  return kind == TokenKind::half_float || kind == TokenKind::single_float || kind == TokenKind::double_float;
}

/// Reports whether a number is too large for its type. Infinity itself can only be written in the IEEE form.
bool is_rounded_to_infinity(std::string_view text, uint64_t bits, isa::Type type) {
  uint64_t infinity = type == HSA_BRIG_TYPE_F16   ? 0x7c00
                      : type == HSA_BRIG_TYPE_F32 ? 0x7f800000
                                                  : 0x7ff0000000000000;
  return bits == infinity && !is_ieee_literal(text);
}

struct NullName {
  std::string_view word;
  hsa_brig_expression_operation_t operation;
};
constexpr NullName null_names[] = {{"nullptr", HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT},
                                   {"nullptr_group", HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_GROUP},
                                   {"nullptr_private", HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_PRIVATE},
                                   {"nullptr_kernarg", HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_KERNARG}};

const NullName* null_name(const Token& token) {
  if (token.kind != TokenKind::word) return nullptr;
  auto found = std::find_if(std::begin(null_names), std::end(null_names),
                            [&](const NullName& name) { return name.word == token.text; });
  return found == std::end(null_names) ? nullptr : found;
}

}  // namespace

bool Parser::at_constant() const {
  switch (token_.kind) {
    case TokenKind::integer:
    case TokenKind::half_float:
    case TokenKind::single_float:
    case TokenKind::double_float:
      return true;
    case TokenKind::punctuation:
      return token_.is('+') || token_.is('-') || token_.is('{');
    case TokenKind::word:
      return token_.text == "addr" || null_name(token_) != nullptr ||
             isa::type_value(token_.text).has_value();
    default:
      return false;
  }
}

bool Parser::at_expression() const { return token_.is_word("addr") || null_name(token_) != nullptr; }

bool Parser::integer_literal_value(uint64_t& value, std::string_view what, uint64_t maximum) {
  if (token_.kind != TokenKind::integer) return unexpected(what);
  auto literal = integer_literal(token_.text);
  if (!literal)
    return fail("HSAIL-4.8.1-integer", token_, fmt::format("'{}' is no integer of 64 bits", token_.text));
  if (*literal > maximum)
    return fail("HSAIL-4.8.1-integer-range", token_, fmt::format("{} is at most {}", what, maximum));
  value = *literal;
  advance();
  return true;
}

// ---- scalars -------------------------------------------------------------------------------------

/// Parses an optional sign and an integer literal. The sign is applied in 64-bit two's complement
/// (PRM 4.8.1).
bool Parser::integer_value(uint64_t& value, bool& negative) {
  negative = token_.is('-');
  if (negative || token_.is('+')) advance();
  if (!integer_literal_value(value, "an integer constant")) return false;
  if (negative) value = uint64_t{0} - value;
  return true;
}

/// A minus sign flips the sign bit of a float and negates an integer in 64-bit two's complement (PRM 4.8.1,
/// 4.8.2).
bool Parser::literal(isa::Type expected, Constant& out) {
  Token at = out.at = token_;
  bool negative = token_.is('-');
  if (negative || token_.is('+')) advance();
  if (is_float_token(token_.kind)) {
    out.type = float_token_type(token_.kind);
    out.size = isa::byte_size(out.type);
    uint64_t bits = float_literal(token_.text, token_.kind);
    if (is_rounded_to_infinity(token_.text, bits, out.type))
      diagnostics_.warning("HSAIL-4.8.2-overflow", token_.location(),
                           fmt::format("rounded to {}, this is infinity", isa::type_name(out.type)));
    if (negative) bits ^= uint64_t{1} << (8 * out.size - 1);
    out.bytes = low_bytes(bits, static_cast<unsigned>(out.size));
    advance();
    return check_constant_type(at, expected, out);
  }
  uint64_t value = 0;
  if (!integer_literal_value(value, "a constant")) return false;
  bool fits = expected == HSA_BRIG_TYPE_NONE || isa::is_integer(expected) ||
              (isa::is_bit(expected) && isa::bit_size(expected) <= 64);
  if (!fits)
    return fail("HSAIL-4.8.5-constant-type", at,
                fmt::format("an integer constant cannot be a value of type {}", isa::type_name(expected)));
  if (negative) value = uint64_t{0} - value;
  if (expected == HSA_BRIG_TYPE_B1) value &= 1;
  out.type = integer_constant_type(expected, negative);
  out.size = isa::byte_size(out.type);
  out.bytes = low_bytes(value, static_cast<unsigned>(out.size));
  return true;
}

/// Parses addr(&name + n) or one of the null pointers: values that only a loader knows (PRM 4.8.1, 18.6.7).
bool Parser::expression(isa::Type expected, Constant& out) {
  Token at = out.at = token_;
  if (expected != HSA_BRIG_TYPE_NONE && !isa::is_integer(expected) &&
      !(isa::is_bit(expected) && expected != HSA_BRIG_TYPE_B1 && isa::bit_size(expected) <= 64))
    return fail("HSAIL-4.8.5-constant-type", at,
                fmt::format("'{}' cannot be a value of type {}", at.text, isa::type_name(expected)));
  out.type = integer_constant_type(expected, false);
  out.size = isa::byte_size(out.type);
  const NullName* null = null_name(token_);
  advance();
  if (null != nullptr) {
    out.operand = builder_.add_expression(out.type, null->operation, {});
    return true;
  }
  if (!expect('(', "behind addr")) return false;
  if (!at_name()) return unexpected("the name of a variable, kernel or indirect function");
  Entity* entity = resolve(token_);
  if (entity == nullptr) return false;
  std::vector<brig::Offset> operands{builder_.add_code_ref(entity->symbol)};
  advance();
  if (token_.is('+') || token_.is('-')) {
    uint64_t value = 0;
    bool negative = false;
    if (!integer_value(value, negative)) return false;
    // A displacement of 0 is left out, because it means the same. It is kept for kernels and functions, which
    // cannot have one, so that the checks of the module report it.
    if (value != 0 || entity->kind != EntityKind::variable)
      operands.push_back(builder_.add_constant(HSA_BRIG_TYPE_U64, value));
  }
  out.operand = builder_.add_expression(out.type, HSA_BRIG_EXPRESSION_OPERATION_ADDR, operands);
  return expect(')', "behind the address");
}

// ---- typed constants -----------------------------------------------------------------------------

bool Parser::scalar_typed(isa::Type type, Constant& out) {
  if (!expect('(', "behind the type")) return false;
  bool ok = at_expression() ? expression(type, out) : literal(type, out);
  return ok && expect(')', "behind the constant");
}

/// Parses a signal constant. The only one is 0, the null handle (PRM 4.8.3).
bool Parser::signal_typed(isa::Type type, Constant& out) {
  if (!expect('(', "behind the type")) return false;
  Token at = token_;
  uint64_t value = 0;
  if (!integer_literal_value(value, "0, the null signal handle,")) return false;
  if (value != 0) return fail("HSAIL-4.8.3-signal", at, "the only signal constant is 0");
  out.type = type;
  out.size = isa::byte_size(type);
  out.bytes = low_bytes(0, static_cast<unsigned>(out.size));
  return expect(')', "behind the constant");
}

/// Parses a packed constant such as u8x4(3, 2, 1, 0): elements from the most significant to the least
/// (PRM 4.14.2).
bool Parser::packed_typed(isa::Type type, Constant& out) {
  isa::Type element = isa::base_type(type);
  unsigned count = isa::packed_dimension(type), size = isa::byte_size(element);
  Token at = token_;
  if (!expect('(', "behind the type")) return false;
  std::vector<Constant> elements;
  do {
    Constant value;
    if (!(at_expression() ? expression(element, value) : literal(element, value))) return false;
    elements.push_back(std::move(value));
  } while (accept(','));
  if (elements.size() != count)
    return fail("HSAIL-4.14.2-elements", at,
                fmt::format("{} has {} elements, not {}", isa::type_name(type), count, elements.size()));
  std::reverse(elements.begin(), elements.end());
  out.type = type;
  out.size = uint64_t{count} * size;
  out.is_list =
      std::any_of(elements.begin(), elements.end(), [](const Constant& c) { return c.operand != 0; });
  for (const Constant& value : elements) {
    if (out.is_list)
      out.elements.push_back(add_constant(value));
    else
      out.bytes.insert(out.bytes.end(), value.bytes.begin(), value.bytes.end());
  }
  return expect(')', "behind the packed constant");
}

/// Parses an array constant T[](a, b, ...), whose elements may be bare or typed.
bool Parser::array_typed(isa::Type element, Constant& out) {
  if (!expect('[', "in the array type") || !expect(']', "in the array type") ||
      !expect('(', "behind the array type"))
    return false;
  if (isa::is_bit(element))
    return fail("HSAIL-4.8.3-array", token_, "there are no array constants of bit types: use an aggregate");
  std::vector<brig::Offset> operands;
  bool all_bytes = true;
  std::vector<Constant> pending;
  do {
    Constant value;
    if (!constant(element, value)) return false;
    if (value.is_list && value.type == HSA_BRIG_TYPE_NONE)
      return fail("HSAIL-4.8.3-array", token_, "an array has no aggregates as elements");
    all_bytes = all_bytes && value.operand == 0 && !value.is_list;
    pending.push_back(std::move(value));
  } while (accept(','));
  out.type = isa::array_of(element);
  out.size = pending.size() * uint64_t{isa::byte_size(element)};
  out.is_list = !all_bytes;
  for (const Constant& value : pending) {
    if (all_bytes)
      out.bytes.insert(out.bytes.end(), value.bytes.begin(), value.bytes.end());
    else
      out.elements.push_back(add_constant(value));
  }
  return expect(')', "behind the array constant");
}

bool Parser::property_value(unsigned names, std::string_view what, unsigned& value) {
  auto found =
      token_.kind == TokenKind::word ? isa::value(static_cast<isa::Names>(names), token_.text) : std::nullopt;
  if (!found) return unexpected(what);
  value = *found;
  advance();
  return true;
}

bool Parser::image_typed(isa::Type type, Constant& out) {
  hsa_ext_brig_operand_constant_image_t entry{};
  entry.base.kind = HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE;
  entry.type = type;
  Token at = token_;
  if (!expect('(', "behind the image type")) return false;
  struct Size {
    std::string_view word;
    hsa_brig_uint64_t* value;
  };
  const Size sizes[] = {
      {"width", &entry.width}, {"height", &entry.height}, {"depth", &entry.depth}, {"array", &entry.array}};
  unsigned seen = 0;
  do {
    Token key = token_;
    if (key.kind != TokenKind::word) return unexpected("an image property");
    advance();
    if (!expect('=', "behind the property")) return false;
    unsigned value = 0, bit = 0;
    if (key.text == "geometry") {
      if (!property_value(static_cast<unsigned>(isa::Names::image_geometry), "an image geometry", value))
        return false;
      entry.geometry = static_cast<uint8_t>(value);
      bit = 1;
    } else if (key.text == "channel_order") {
      if (!property_value(static_cast<unsigned>(isa::Names::channel_order), "a channel order", value))
        return false;
      entry.channel_order = static_cast<uint8_t>(value);
      bit = 2;
    } else if (key.text == "channel_type") {
      if (!property_value(static_cast<unsigned>(isa::Names::channel_type), "a channel type", value))
        return false;
      entry.channel_type = static_cast<uint8_t>(value);
      bit = 4;
    } else {
      auto size =
          std::find_if(std::begin(sizes), std::end(sizes), [&](const Size& s) { return s.word == key.text; });
      if (size == std::end(sizes))
        return fail("HSAIL-7.1.7-image-property", key, fmt::format("'{}' is no image property", key.text));
      uint64_t number = 0;
      Token at_number = token_;
      if (!integer_literal_value(number, "a size in image elements")) return false;
      // BRIG has 0 where an image has no such size, so the checks of the module would not see that it is
      // given.
      if (number == 0)
        return fail("HSAIL-7.1.7-image-size", at_number,
                    "an image has at least one element in each direction");
      *size->value = {static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)};
      bit = 8u << (size - std::begin(sizes));
    }
    if ((seen & bit) != 0)
      return fail("HSAIL-7.1.7-image-property", key, fmt::format("'{}' is given twice", key.text));
    seen |= bit;
  } while (accept(','));

  if ((seen & 7) != 7)
    return fail("HSAIL-7.1.7-image-property", at,
                "an image constant has geometry, channel_order, channel_type and the sizes of its geometry");
  out.type = type;
  out.size = 8;
  out.operand = builder_.add_operand(entry);
  return expect(')', "behind the image properties");
}

bool Parser::sampler_typed(isa::Type type, Constant& out) {
  hsa_ext_brig_operand_constant_sampler_t entry{};
  entry.base.kind = HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER;
  entry.type = type;
  Token at = token_;
  if (!expect('(', "behind the sampler type")) return false;
  struct Property {
    std::string_view word;
    isa::Names names;
    uint8_t* value;
    bool seen;
  };
  Property properties[] = {{"coord", isa::Names::sampler_coord, &entry.coord, false},
                           {"filter", isa::Names::sampler_filter, &entry.filter, false},
                           {"addressing", isa::Names::sampler_addressing, &entry.addressing, false}};
  do {
    auto property = std::find_if(std::begin(properties), std::end(properties),
                                 [&](const Property& p) { return token_.is_word(p.word); });
    if (property == std::end(properties) || property->seen)
      return fail("HSAIL-7.1.8-sampler-property", token_, "coord, filter and addressing expected, each once");
    advance();
    unsigned value = 0;
    if (!expect('=', "behind the property") ||
        !property_value(static_cast<unsigned>(property->names), "a value of the property", value))
      return false;
    *property->value = static_cast<uint8_t>(value);
    property->seen = true;
  } while (accept(','));
  if (!std::all_of(std::begin(properties), std::end(properties), [](const Property& p) { return p.seen; }))
    return fail("HSAIL-7.1.8-sampler-property", at, "a sampler constant has coord, filter and addressing");
  out.type = type;
  out.size = 8;
  out.operand = builder_.add_operand(entry);
  return expect(')', "behind the sampler properties");
}

bool Parser::typed_constant(Constant& out) {
  auto type = token_.kind == TokenKind::word ? isa::type_value(token_.text) : std::nullopt;
  if (!type) return unexpected("a constant");
  Token at = token_;
  if (!constant_of_type(*type, out)) return false;
  out.at = at;
  return true;
}

bool Parser::constant_of_type(isa::Type type, Constant& out) {
  Token at = token_;
  advance();
  if (token_.is('[')) return array_typed(type, out);
  if (isa::is_packed(type)) return packed_typed(type, out);
  if (isa::is_image(type)) return image_typed(type, out);
  if (isa::is_sampler(type)) return sampler_typed(type, out);
  if (isa::is_signal(type)) return signal_typed(type, out);
  if (isa::is_bit(type))
    return fail("HSAIL-4.8.3-bit-constant", at, "there are no typed constants of bit types");
  return scalar_typed(type, out);
}

/// Parses an aggregate { item, ... }: a sequence of typed constants, align(n) and zero(n) (PRM 4.8.4).
bool Parser::aggregate(Constant& out) {
  out.at = token_;
  advance();
  out.type = HSA_BRIG_TYPE_NONE;
  out.is_list = true;
  do {
    if (!(token_.is_word("align") || token_.is_word("zero") ? aggregate_filling(out) : aggregate_item(out)))
      return false;
  } while (accept(','));
  return expect('}', "behind the aggregate");
}

bool Parser::aggregate_filling(Constant& out) {
  Token at = token_;
  bool align = token_.is_word("align");
  advance();
  uint64_t value = 0;
  if (!expect('(', "here")) return false;
  Token number = token_;
  if (!integer_literal_value(value, align ? "an alignment" : "a number of bytes") || !expect(')', "here"))
    return false;
  if (!align) {
    out.size += value;
    out.elements.push_back(made_from(at, builder_.add_zero(value)));
    return true;
  }
  if (value == 0 || value > 256 || !std::has_single_bit(value))
    return fail("HSAIL-4.8.4-align", number, "an alignment is a power of two from 1 to 256");
  out.size = align_up(out.size, value);
  out.elements.push_back(
      made_from(at, builder_.add_align(static_cast<hsa_brig_alignment_t>(std::countr_zero(value) + 1))));
  return true;
}

bool Parser::aggregate_item(Constant& out) {
  Constant value;
  if (!typed_constant(value)) return false;
  out.size += value.size;
  // The only lists that BRIG allows in an aggregate are packed constants (PRM 18.6.1), so the elements of an
  // array go into the aggregate one by one.
  if (value.is_list && isa::is_array(value.type))
    out.elements.insert(out.elements.end(), value.elements.begin(), value.elements.end());
  else
    out.elements.push_back(add_constant(value));
  return true;
}

// ---- constants in a context ----------------------------------------------------------------------

bool Parser::check_constant_type(const Token& at, isa::Type expected, const Constant& constant) {
  if (expected == HSA_BRIG_TYPE_NONE || constant.type == expected) return true;
  bool plain = !isa::is_opaque(constant.type) && !isa::is_array(constant.type);
  if (isa::is_bit(expected) && plain && isa::bit_size(expected) == isa::bit_size(constant.type)) return true;
  if (isa::is_bit(expected) && expected == HSA_BRIG_TYPE_B1 && constant.type == HSA_BRIG_TYPE_U8) return true;
  return fail("HSAIL-4.8.5-constant-type", at,
              fmt::format("a constant of type {} cannot be a value of type {}", isa::type_name(constant.type),
                          isa::type_name(expected)));
}

bool Parser::constant(isa::Type expected, Constant& out) {
  Token at = token_;
  if (token_.is('{')) {
    if (expected != HSA_BRIG_TYPE_NONE)
      return fail("HSAIL-4.8.5-constant-type", at, "an aggregate can only be an initializer");
    return aggregate(out);
  }
  if (at_expression()) return expression(expected, out);
  const bool good = token_.kind == TokenKind::word
                        ? typed_constant(out) && check_constant_type(at, expected, out)
                        : literal(expected, out);
  if (good && writes_1_0_ && isa::is_bit(expected) && !out.is_list)
    out.type = isa::unsigned_constant_type(expected);
  return good;
}

brig::Offset Parser::add_constant(const Constant& constant) {
  brig::Offset operand = constant.operand;
  if (operand == 0) {
    operand = constant.is_list ? builder_.add_constant_list(constant.type, constant.elements)
                               : builder_.add_constant(constant.type, constant.bytes);
  }
  return made_from(constant.at, operand);
}

/// Parses the initializer of a variable. brig::Module::open() compares its size with that of the variable.
bool Parser::initializer(const VariableHead& head, Constant& out) {
  Token at = token_;
  if (!head.array) {
    if (!constant(head.type, out)) return false;
    if (!out.is_list || out.type != HSA_BRIG_TYPE_NONE) return true;
    return fail("HSAIL-4.10-initializer-type", at, "an aggregate initializes arrays of bit types only");
  }
  if (token_.is('{')) {
    if (isa::is_bit(head.type)) return aggregate(out);
    return fail("HSAIL-4.10-initializer-type", at, "an aggregate initializes arrays of bit types only");
  }
  if (!typed_constant(out)) return false;
  if (isa::is_array(out.type) && isa::array_element(out.type) == head.type) return true;
  return fail("HSAIL-4.10-initializer-type", at,
              isa::is_bit(head.type) ? std::string("an aggregate initializes an array of a bit type")
                                     : fmt::format("an array of {} is initialized by {}[](...)",
                                                   isa::type_name(head.type), isa::type_name(head.type)));
}

}  // namespace heddle::assemble
