// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/printf_conversion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace heddle {
namespace {

// No text is longer because a format asks for more: formats come from outside.
constexpr int largest_size = 1 << 16;

// Modifiers, longest first. OpenCL C has hl, for elements of 32 bits; C has those behind l, which are 64 bits
// wide here.
constexpr std::string_view modifiers[] = {"hh", "hl", "h", "ll", "l", "j", "z", "t", "q", "L"};

uint64_t unsigned_value(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

int64_t signed_value(std::span<const std::byte> bytes) {
  const unsigned unused = 64 - 8 * static_cast<unsigned>(std::min<size_t>(bytes.size(), 8));
  return static_cast<int64_t>(unsigned_value(bytes) << unused) >> unused;
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return std::copysign(fraction != 0 ? std::nan("") : HUGE_VAL, sign);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

double float_value(std::span<const std::byte> bytes) {
  const uint64_t bits = unsigned_value(bytes);
  if (bytes.size() == 2) return half_value(static_cast<uint16_t>(bits));
  if (bytes.size() == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

/// Formats one value by C's function, whose result has at most as many characters as the largest sizes, or an
/// f64 in full, need.
template <typename T>
std::string formatted(const std::string& specification, T value) {
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length < 0) return {};
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
  text.pop_back();
  return text;
}

}  // namespace

std::optional<PrintfConversion::Size> PrintfConversion::take_size(std::string_view& rest) {
  Size size;
  if (rest.starts_with('*')) {
    rest.remove_prefix(1);
    size.is_argument = true;
    return size;
  }
  int value = 0;
  const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  for (const char digit : rest.substr(0, end)) value = std::min(value * 10 + (digit - '0'), largest_size);
  rest.remove_prefix(end);
  if (end == 0) return std::nullopt;
  size.value = value;
  return size;
}

PrintfConversion::Length PrintfConversion::take_length(std::string_view& rest) {
  for (const std::string_view modifier : modifiers) {
    if (!rest.starts_with(modifier)) continue;
    rest.remove_prefix(modifier.size());
    if (modifier == "hh") return Length::hh;
    if (modifier == "hl") return Length::hl;
    return modifier == "h" ? Length::h : Length::l;
  }
  return Length::none;
}

std::optional<PrintfConversion> PrintfConversion::take(std::string_view& format) {
  PrintfConversion result;
  std::string_view rest = format.substr(1);
  const size_t flags = std::min(rest.find_first_not_of("-+ #0"), rest.size());
  // Formats need no flag twice.
  for (const char flag : rest.substr(0, flags))
    if (result.flags_.find(flag) == std::string::npos) result.flags_ += flag;
  rest.remove_prefix(flags);
  if (const auto size = take_size(rest)) result.width = *size;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    Size nothing_is_zero;
    nothing_is_zero.value = 0;
    result.precision = take_size(rest).value_or(nothing_is_zero);
  }
  if (rest.starts_with('v')) {
    rest.remove_prefix(1);
    const auto count = take_size(rest);
    constexpr int counts[] = {2, 3, 4, 8, 16};
    if (!count || count->is_argument || std::ranges::find(counts, *count->value) == std::end(counts))
      return std::nullopt;
    result.elements_ = static_cast<unsigned>(*count->value);
  }
  result.length_ = take_length(rest);
  if (rest.empty() || std::string_view("diouxXcsfFeEgGaApn").find(rest.front()) == std::string_view::npos)
    return std::nullopt;
  result.conversion_ = rest.front();
  format = rest.substr(1);
  return result;
}

void PrintfConversion::set(Size& size, int value) {
  size.is_argument = false;
  if (value < 0 && &size == &precision) {
    size.value.reset();  // as if there were none
    return;
  }
  if (value < 0 && flags_.find('-') == std::string::npos) flags_ += '-';
  size.value = static_cast<int>(std::min<int64_t>(std::abs(static_cast<int64_t>(value)), largest_size));
}

bool PrintfConversion::is_float() const {
  return std::string_view("fFeEgGaA").find(conversion_) != std::string_view::npos;
}

std::string PrintfConversion::specification(std::string_view length) const {
  std::string text = "%" + flags_;
  if (width.value) text += std::to_string(*width.value);
  if (precision.value) text += "." + std::to_string(*precision.value);
  text += length;
  return text + conversion_;
}

std::string PrintfConversion::of_string(std::string_view string) const {
  if (precision.value) string = string.substr(0, static_cast<size_t>(*precision.value));
  const size_t least = width.value ? static_cast<size_t>(*width.value) : 0;
  const std::string blanks(least > string.size() ? least - string.size() : 0, ' ');
  return flags_.find('-') == std::string::npos ? blanks + std::string(string) : std::string(string) + blanks;
}

/// Returns the bytes of the value itself: as the modifier says for integers, and as many as there are for
/// others.
size_t PrintfConversion::element_size(size_t available) const {
  if (conversion_ == 'p' || is_float()) return std::min<size_t>(available, 8);
  switch (length_) {
    case Length::hh:
      return 1;
    case Length::h:
      return 2;
    case Length::l:
    case Length::ll:
      return 8;
    case Length::none:
    case Length::hl:
      break;
  }
  return 4;
}

bool PrintfConversion::append_element(std::string& text, std::span<const std::byte> bytes) const {
  const size_t size = element_size(bytes.size());
  if (size == 0 || size > bytes.size()) return false;
  const auto value = bytes.first(size);
  if (is_float())
    text += formatted(specification(""), float_value(value));
  else if (conversion_ == 'p')
    text += formatted(specification(""),
                      reinterpret_cast<const void*>(static_cast<uintptr_t>(unsigned_value(value))));
  else if (conversion_ == 'c')
    text += of_string(std::string(1, static_cast<char>(unsigned_value(value))));
  else if (conversion_ == 'd' || conversion_ == 'i')
    text += formatted(specification("ll"), static_cast<long long>(signed_value(value)));
  else if (conversion_ != 'n')
    text += formatted(specification("ll"), static_cast<unsigned long long>(unsigned_value(value)));
  return true;
}

bool PrintfConversion::append(std::string& text, std::span<const std::byte> bytes) const {
  if (elements_ == 0) return append_element(text, bytes);
  // Vectors of three elements take the room of four (OpenCL C 6.1.5).
  const size_t stride = bytes.size() / (elements_ == 3 ? 4 : elements_);
  for (unsigned i = 0; i < elements_; ++i) {
    if (i != 0) text += ',';
    if (!append_element(text, bytes.subspan(i * stride, stride))) return false;
  }
  return true;
}

}  // namespace heddle
