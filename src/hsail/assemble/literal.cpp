// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/literal.h"

#include <locale.h>
#include <bit>
#include <cfenv>
#include <charconv>
#include <cstdlib>

namespace heddle::assemble {
namespace {

/// Returns the C locale, with which strtod_l() does not depend on the locale of the process.
locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

/// Rounds to half a double that was itself rounded to odd from the exact value. With 53 bits rounded to odd,
/// the second rounding, to 11 bits, gives the same result as rounding the exact value once.
uint64_t half_from_odd(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  if (bits == 0) return 0;
  if (exponent < -26) return 0;  // below half of the smallest subnormal (doubles below 2^-1022 included)
  if (exponent > 15) return 0x7c00;
  // Drop as many bits as make the lowest remaining bit worth 2^-24 (subnormal) or the result's last place.
  int drop = exponent < -14 ? 42 + (-14 - exponent) : 42;
  uint64_t kept = significand >> drop;
  uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
  uint64_t middle = uint64_t{1} << (drop - 1);
  if (rest > middle || (rest == middle && (kept & 1) != 0)) ++kept;
  // A carry out of the fraction increments the exponent field, which gives the right encoding up to infinity.
  return exponent < -14 ? kept : kept + (static_cast<uint64_t>(exponent + 14) << 10);
}

double round_to_odd(const char* text) {
  fenv_t saved;
  feholdexcept(&saved);
  fesetround(FE_TOWARDZERO);
  double value = strtod_l(text, nullptr, c_locale());
  bool inexact = fetestexcept(FE_INEXACT) != 0;
  fesetenv(&saved);
  if (!inexact) return value;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | 1);
}

struct Escape {
  char letter;
  char value;
};
constexpr Escape escapes[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'?', '?'},  {'a', '\a'}, {'b', '\b'},
                              {'f', '\f'},  {'n', '\n'},  {'r', '\r'}, {'t', '\t'}, {'v', '\v'}};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Reads at most `limit` digits of `base` from `text`, beginning at `at`, and moves `at` past them. Returns
/// -1 if there is no digit or the value does not fit a byte.
int escape_digits(std::string_view text, size_t& at, int base, size_t limit) {
  int value = 0;
  size_t count = 0;
  for (; count < limit && at < text.size(); ++count, ++at) {
    int digit = hex_value(text[at]);
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
    if (value > 0xff) return -1;
  }
  return count == 0 ? -1 : value;
}

}  // namespace

std::optional<uint64_t> integer_literal(std::string_view text) {
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    bool hex = (text[1] | 0x20) == 'x';
    base = hex ? 16 : 8;
    text.remove_prefix(hex ? 2 : 1);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_ieee_literal(std::string_view text) {
  return text.size() > 2 && text[0] == '0' &&
         ((text[1] | 0x20) == 'h' || (text[1] | 0x20) == 'f' || (text[1] | 0x20) == 'd') &&
         text.find_first_of(".pP+-") == std::string_view::npos;
}

uint64_t float_literal(std::string_view text, TokenKind kind) {
  if (is_ieee_literal(text)) {
    uint64_t bits = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    return bits;
  }
  std::string copy(text);
  // The suffix letter is not part of the number. A hexadecimal number without a suffix cannot end in a
  // letter, because it ends in an exponent: p and decimal digits.
  if ((copy.back() | 0x20) >= 'a') copy.pop_back();
  switch (kind) {
    case TokenKind::half_float:
      return half_from_odd(round_to_odd(copy.c_str()));
    case TokenKind::single_float:
      return std::bit_cast<uint32_t>(strtof_l(copy.c_str(), nullptr, c_locale()));
    default:
      return std::bit_cast<uint64_t>(strtod_l(copy.c_str(), nullptr, c_locale()));
  }
}

std::optional<std::string> string_literal(std::string_view text) {
  text = text.substr(1, text.size() - 2);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    char c = text[i];
    int value = -1;
    if (c == 'x' || c == 'X') {
      ++i;
      value = escape_digits(text, i, 16, SIZE_MAX);
    } else if (c >= '0' && c <= '7') {
      value = escape_digits(text, i, 8, 3);
    } else {
      for (const Escape& escape : escapes)
        if (escape.letter == c) value = static_cast<uint8_t>(escape.value);
      ++i;
    }
    if (value < 0) return std::nullopt;
    out += static_cast<char>(value);
  }
  return out;
}

}  // namespace heddle::assemble
