// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

constexpr ElementType types[] = {
    {"u8", "|u1", 1, ElementKind::unsigned_integer},  {"s8", "|i1", 1, ElementKind::signed_integer},
    {"u16", "<u2", 2, ElementKind::unsigned_integer}, {"s16", "<i2", 2, ElementKind::signed_integer},
    {"f16", "<f2", 2, ElementKind::floating},         {"u32", "<u4", 4, ElementKind::unsigned_integer},
    {"s32", "<i4", 4, ElementKind::signed_integer},   {"f32", "<f4", 4, ElementKind::floating},
    {"u64", "<u8", 8, ElementKind::unsigned_integer}, {"s64", "<i8", 8, ElementKind::signed_integer},
    {"f64", "<f8", 8, ElementKind::floating},
};

template <typename T>
ElementBytes store(T value) {
  ElementBytes out;
  std::memcpy(out.bytes, &value, sizeof value);
  return out;
}

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

uint64_t load_unsigned(const ElementType& type, const std::byte* value) {
  uint64_t bits = 0;
  std::memcpy(&bits, value, type.size);
  return bits;
}

int64_t load_signed(const ElementType& type, const std::byte* value) {
  unsigned unused = 64 - 8 * type.size;
  return static_cast<int64_t>(load_unsigned(type, value) << unused) >> unused;
}

/// Parses an integer without sign, decimal or 0x.
bool parse_magnitude(std::string_view digits, uint64_t& magnitude) {
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  }
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
}

Result<ElementBytes> parse_integer(const ElementType& type, std::string_view text) {
  bool negative = text.starts_with("-");
  std::string_view digits = negative || text.starts_with("+") ? text.substr(1) : text;
  uint64_t magnitude = 0;
  if (!parse_magnitude(digits, magnitude)) return Error{fmt::format("'{}' is not an integer", text)};
  unsigned bits = 8 * type.size;
  bool is_signed = type.kind == ElementKind::signed_integer;
  uint64_t largest = std::numeric_limits<uint64_t>::max() >> (64 - bits + (is_signed ? 1 : 0));
  uint64_t allowed = negative ? (is_signed ? largest + 1 : 0) : largest;
  if (magnitude > allowed) return Error{fmt::format("{} does not fit {}", text, type.name)};
  return element_from_bits(type, negative ? 0 - magnitude : magnitude);
}

Result<ElementBytes> parse_float(const ElementType& type, std::string_view text) {
  double value = 0;
  std::string_view digits = text.starts_with("+") ? text.substr(1) : text;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return Error{fmt::format("'{}' is not a number", text)};
  }
  if (error == std::errc::result_out_of_range) return Error{fmt::format("{} does not fit f64", text)};
  ElementBytes bytes = element_from_double(type, value);
  if (std::isfinite(value) && !std::isfinite(element_to_double(type, bytes.bytes))) {
    return Error{fmt::format("{} does not fit {}", text, type.name)};
  }
  return bytes;
}

}  // namespace

std::span<const ElementType> element_types() { return types; }

const ElementType* find_element_type(std::string_view name) {
  for (const ElementType& type : types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

ValueType find_value_type(std::string_view name) {
  const size_t times = name.find('x');
  ValueType type{find_element_type(name.substr(0, times)), 1};
  if (times == name.npos || type.element == nullptr) return type;
  const std::string_view lanes = name.substr(times + 1);
  auto [end, error] = std::from_chars(lanes.data(), lanes.data() + lanes.size(), type.lanes);
  const bool known = error == std::errc{} && end == lanes.data() + lanes.size() && lanes.front() != '0' &&
                     type.lanes >= 2 && type.lanes <= 16;
  if (!known || (type.size() != 4 && type.size() != 8 && type.size() != 16)) return {};
  return type;
}

const ElementType* find_npy_type(std::string_view descr) {
  for (const ElementType& type : types) {
    // The byte order of single bytes has no meaning, and writers mark it differently.
    bool same_width = type.size == 1 && descr.size() == 3 && descr.substr(1) == type.npy.substr(1);
    if (type.npy == descr || same_width) return &type;
  }
  return nullptr;
}

std::string element_type_names() {
  std::string names;
  for (const ElementType& type : types) {
    if (!names.empty()) names += ", ";
    names += type.name;
  }
  return names;
}

Result<ElementBytes> parse_element(const ElementType& type, std::string_view text) {
  return type.kind == ElementKind::floating ? parse_float(type, text) : parse_integer(type, text);
}

ElementBytes element_from_bits(const ElementType& type, uint64_t bits) {
  ElementBytes out;
  std::memcpy(out.bytes, &bits, type.size);
  return out;
}

ElementBytes element_from_double(const ElementType& type, double value) {
  if (type.kind == ElementKind::floating) {
    if (type.size == 8) return store(value);
    if (type.size == 4) return store(static_cast<float>(value));
    return store(float_to_half(static_cast<float>(value)));
  }
  // The conversion goes through 64 bits, so that values out of range wrap instead of being undefined.
  double whole = std::trunc(value);
  if (!(std::abs(whole) < 0x1p64)) whole = 0;
  uint64_t magnitude = static_cast<uint64_t>(std::abs(whole));
  return element_from_bits(type, whole < 0 ? 0 - magnitude : magnitude);
}

double element_to_double(const ElementType& type, const std::byte* value) {
  if (type.kind == ElementKind::unsigned_integer) return static_cast<double>(load_unsigned(type, value));
  if (type.kind == ElementKind::signed_integer) return static_cast<double>(load_signed(type, value));
  if (type.size == 8) return load<double>(value);
  if (type.size == 4) return load<float>(value);
  return half_to_float(load<uint16_t>(value));
}

std::string format_element(const ElementType& type, const std::byte* value) {
  if (type.kind == ElementKind::unsigned_integer) return fmt::format("{}", load_unsigned(type, value));
  if (type.kind == ElementKind::signed_integer) return fmt::format("{}", load_signed(type, value));
  if (type.size == 8) return fmt::format("{}", load<double>(value));
  if (type.size == 4) return fmt::format("{}", load<float>(value));
  return fmt::format("{}", half_to_float(load<uint16_t>(value)));
}

float half_to_float(uint16_t half) {
  uint32_t sign = uint32_t{half} >> 15 << 31;
  uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t float_to_half(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 31 << 15);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00 | (magnitude >> 13 & 0x1ff);  // NaN, quiet
  if (magnitude >= 0x47800000) return sign | 0x7c00;                             // 65536 and more
  if (magnitude < 0x38800000) {                                                  // subnormal: n * 2^-24
    return sign | static_cast<uint16_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f));
  }
  // The exponent is reduced by 112. Adding half an ulp, less one if the last kept bit is even, rounds to
  // nearest even.
  uint32_t rounded = magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>(rounded >> 13);
}

}  // namespace heddle::tools
