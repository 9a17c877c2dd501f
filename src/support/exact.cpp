// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/exact.h"

#include <bit>
#include <utility>

namespace heddle::exact {
namespace {

__extension__ using u128 = unsigned __int128;

/// A number that is not zero: (significand + rest) * 2^exponent, where 0 <= rest < 1, and rest is 0 if not
/// `inexact`. Zero has significand 0 and is exact.
struct Exact {
  bool negative = false;
  int exponent = 0;
  u128 significand = 0;
  bool inexact = false;
};

int width(u128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value));
}

/// Takes a finite number apart.
Exact unpack(const Format& f, uint64_t bits) {
  const uint64_t fraction = bits & f.fraction_mask();
  const int biased = static_cast<int>((bits & f.infinity()) >> f.fraction_bits);
  if (biased == 0) return {f.is_negative(bits), f.least_exponent() - f.fraction_bits, fraction, false};
  return {f.is_negative(bits), biased - f.bias() - f.fraction_bits, fraction | (f.fraction_mask() + 1),
          false};
}

/// Shifts the significand right by `shift` bits; `inexact` records whether ones were shifted out.
Exact shift_right(Exact value, int shift) {
  if (shift <= 0) return value;
  const bool all = shift >= 128;
  const u128 kept = all ? 0 : value.significand >> shift;
  const u128 lost = all ? value.significand : value.significand & ((u128{1} << shift) - 1);
  return {value.negative, value.exponent + shift, kept, value.inexact || lost != 0};
}

/// The size of what was cut off, in units of the last place that was kept.
enum class Rest : uint8_t { none, below_half, half, above_half };

bool rounds_away(Rounding rounding, bool negative, bool odd, Rest rest) {
  if (rest == Rest::none) return false;
  switch (rounding) {
    case Rounding::near_even:
      return rest == Rest::above_half || (rest == Rest::half && odd);
    case Rounding::zero:
      return false;
    case Rounding::up:
      return !negative;
    case Rounding::down:
      return negative;
  }
  return false;
}

/// Truncates `value` to a multiple of 2^quantum. Returns the number of quanta and what was cut off.
std::pair<u128, Rest> cut(const Exact& value, int quantum) {
  const int shift = quantum - value.exponent;
  if (shift <= 0) return {value.significand << -shift, value.inexact ? Rest::below_half : Rest::none};
  if (shift > 128) return {0, value.significand != 0 || value.inexact ? Rest::below_half : Rest::none};
  const u128 kept = shift == 128 ? 0 : value.significand >> shift;
  const u128 lost = shift == 128 ? value.significand : value.significand & ((u128{1} << shift) - 1);
  const u128 middle = u128{1} << (shift - 1);
  if (lost == 0 && !value.inexact) return {kept, Rest::none};
  if (lost < middle) return {kept, Rest::below_half};
  if (lost == middle && !value.inexact) return {kept, Rest::half};
  return {kept, Rest::above_half};
}

uint64_t overflow(const Format& f, bool negative, Mode& mode) {
  mode.raised |= exception_overflow | exception_inexact;
  const bool to_infinity = mode.rounding == Rounding::near_even ||
                           (mode.rounding == Rounding::up && !negative) ||
                           (mode.rounding == Rounding::down && negative);
  return (negative ? f.sign() : 0) | (to_infinity ? f.infinity() : f.largest());
}

/// Tininess is detected after rounding (IEEE 754-2008 7.5 a): whether a result between half of the least
/// normal number and that stays below it when it is rounded as if there were smaller exponents.
bool stays_below_normal(const Format& f, const Exact& value, Rounding rounding) {
  const int exponent = value.exponent + width(value.significand) - 1;
  const auto [kept, rest] = cut(value, exponent - f.fraction_bits);
  const bool carries = rounds_away(rounding, value.negative, (kept & 1) != 0, rest) &&
                       kept + 1 == u128{2} * (f.fraction_mask() + 1);
  return exponent + (carries ? 1 : 0) < f.least_exponent();
}

/// The result that replaces a tiny one under ftz (PRM 4.19.3). It also raises inexact, which the manual
/// leaves open.
uint64_t flushed(uint64_t sign, Mode& mode) {
  mode.raised |= exception_underflow | exception_inexact;
  return sign;
}

/// Rounds an exact value to the format. All results are rounded here.
uint64_t round(const Format& f, const Exact& value, Mode& mode) {
  const uint64_t sign = value.negative ? f.sign() : 0;
  if (value.significand == 0 && !value.inexact) return sign;
  const int exponent =
      value.exponent + width(value.significand) - 1;  // 2^exponent <= |value| < 2^(exponent + 1)
  const int floor_exponent = exponent < f.least_exponent() ? f.least_exponent() : exponent;
  const int quantum = floor_exponent - f.fraction_bits;
  auto [kept, rest] = cut(value, quantum);
  if (rounds_away(mode.rounding, value.negative, (kept & 1) != 0, rest)) ++kept;
  const auto significand = static_cast<uint64_t>(kept);
  const uint64_t implicit = f.fraction_mask() + 1;
  if (significand < implicit) {  // zero or subnormal
    if (mode.flush) return flushed(sign, mode);
    if (rest != Rest::none) mode.raised |= exception_underflow | exception_inexact;
    return sign | significand;
  }
  // A carry out of the significand (2 * implicit) moves into the exponent by itself.
  const uint64_t biased = static_cast<uint64_t>(int64_t{floor_exponent} + f.bias());
  const uint64_t magnitude = (biased << f.fraction_bits) + (significand - implicit);
  if (floor_exponent > f.bias() || magnitude >= f.infinity()) return overflow(f, value.negative, mode);
  if (rest == Rest::none) return sign | magnitude;
  mode.raised |= exception_inexact;
  // A result that was rounded up to the least normal number may still be tiny.
  if (exponent < f.least_exponent() && stays_below_normal(f, value, mode.rounding)) {
    if (mode.flush) return flushed(sign, mode);
    mode.raised |= exception_underflow;
  }
  return sign | magnitude;
}

uint64_t invalid(const Format& f, Mode& mode) {
  mode.raised |= exception_invalid_operation;
  return f.default_nan();
}

/// Reports whether one of the sources is a NaN. `result` is then the first of them, quieted.
template <typename... Sources>
bool nan_result(const Format& f, Mode& mode, uint64_t& result, Sources... sources) {
  bool found = false;
  for (uint64_t source : {sources...}) {
    if (!f.is_nan(source)) continue;
    if (f.is_signaling(source)) mode.raised |= exception_invalid_operation;
    if (!found) result = (source & f.mask()) | f.quiet_bit();
    found = true;
  }
  return found;
}

/// Returns the same number with a significand of exactly `bits` bits.
Exact widen(Exact value, int bits) {
  const int shift = bits - width(value.significand);
  value.significand <<= shift;
  value.exponent -= shift;
  return value;
}

/// Returns the exact sum. Both numbers are widened to 125 bits, so bits are lost only from a number so much
/// smaller that the sum cannot cancel below 2^123.
Exact sum(Exact a, Exact b, Rounding rounding) {
  if (a.significand == 0 && b.significand == 0) {
    const bool negative = a.negative == b.negative ? a.negative : rounding == Rounding::down;
    return {negative, 0, 0, false};
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  a = widen(a, 125);
  b = widen(b, 125);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) std::swap(a, b);
  b = shift_right(b, a.exponent - b.exponent);
  if (a.negative == b.negative) return {a.negative, a.exponent, a.significand + b.significand, b.inexact};
  // a - (b + rest) = (a - b - 1) + (1 - rest), and 0 < 1 - rest < 1.
  const u128 difference = a.significand - b.significand - (b.inexact ? 1 : 0);
  if (difference == 0 && !b.inexact) return {rounding == Rounding::down, 0, 0, false};
  return {a.negative, a.exponent, difference, b.inexact};
}

Exact product(const Exact& a, const Exact& b) {
  return {a.negative != b.negative, a.exponent + b.exponent, a.significand * b.significand, false};
}

/// Returns the floor of the square root, computed bit by bit.
u128 integer_root(u128 value) {
  u128 root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const u128 trial = root | (u128{1} << bit);
    if (trial * trial <= value) root = trial;
  }
  return root;
}

/// Rounds |value| to an integer, and also returns what was cut off. 128 bits are enough only if |value| <
/// 2^127.
std::pair<u128, Rest> integral(const Exact& value, Rounding rounding) {
  auto [kept, rest] = cut(value, 0);
  if (rounds_away(rounding, value.negative, (kept & 1) != 0, rest)) ++kept;
  return {kept, rest};
}

}  // namespace

uint64_t flush_source(const Format& f, uint64_t a, const Mode& mode) {
  a &= f.mask();
  return mode.flush && f.is_subnormal(a) ? a & f.sign() : a;
}

uint64_t add(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a, b)) return nan;
  if (f.is_infinity(a) && f.is_infinity(b)) return a == b ? a : invalid(f, mode);
  if (f.is_infinity(a)) return a;
  if (f.is_infinity(b)) return b;
  return round(f, sum(unpack(f, a), unpack(f, b), mode.rounding), mode);
}

uint64_t subtract(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  return add(f, a, f.is_nan(b) ? b : b ^ f.sign(), mode);
}

uint64_t multiply(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a, b)) return nan;
  const uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinity(a) || f.is_infinity(b)) {
    return f.is_zero(a) || f.is_zero(b) ? invalid(f, mode) : sign | f.infinity();
  }
  return round(f, product(unpack(f, a), unpack(f, b)), mode);
}

uint64_t divide(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a, b)) return nan;
  const uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinity(a)) return f.is_infinity(b) ? invalid(f, mode) : sign | f.infinity();
  if (f.is_infinity(b)) return sign;
  if (f.is_zero(b)) {
    if (f.is_zero(a)) return invalid(f, mode);
    mode.raised |= exception_divide_by_zero;
    return sign | f.infinity();
  }
  if (f.is_zero(a)) return sign;
  // 127 bits over at most 53 leave at least 74 bits of quotient: more than any format has.
  const Exact numerator = widen(unpack(f, a), 127);
  const Exact denominator = unpack(f, b);
  const Exact quotient{sign != 0, numerator.exponent - denominator.exponent,
                       numerator.significand / denominator.significand,
                       numerator.significand % denominator.significand != 0};
  return round(f, quotient, mode);
}

uint64_t fused_multiply_add(const Format& f, uint64_t a, uint64_t b, uint64_t c, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  c = flush_source(f, c, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a, b, c)) return nan;
  const uint64_t sign = (a ^ b) & f.sign();
  if (f.is_infinity(a) || f.is_infinity(b)) {
    if (f.is_zero(a) || f.is_zero(b)) return invalid(f, mode);
    if (f.is_infinity(c) && (c & f.sign()) != sign) return invalid(f, mode);
    return sign | f.infinity();
  }
  if (f.is_infinity(c)) return c;
  return round(f, sum(product(unpack(f, a), unpack(f, b)), unpack(f, c), mode.rounding), mode);
}

uint64_t square_root(const Format& f, uint64_t a, Mode& mode) {
  a = flush_source(f, a, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a)) return nan;
  if (f.is_zero(a)) return a;
  if (f.is_negative(a)) return invalid(f, mode);
  if (f.is_infinity(a)) return a;
  // The significand gets 125 or 126 bits, whichever makes the exponent even, so that the root has 63 bits.
  Exact value = widen(unpack(f, a), 125);
  if (value.exponent % 2 != 0) {
    value.significand <<= 1;
    value.exponent -= 1;
  }
  const u128 root = integer_root(value.significand);
  return round(f, {false, value.exponent / 2, root, root * root != value.significand}, mode);
}

uint64_t round_to_integral(const Format& f, uint64_t a, Mode& mode) {
  a = flush_source(f, a, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a)) return nan;
  const Exact value = unpack(f, a);
  if (f.is_infinity(a) || f.is_zero(a) || value.exponent >= 0) return a;
  Mode exact;  // the result is a number of the format, so nothing is left to round
  return round(f, {value.negative, 0, integral(value, mode.rounding).first, false}, exact);
}

uint64_t fraction_part(const Format& f, uint64_t a, Mode& mode) {
  a = flush_source(f, a, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a)) return nan;
  if (f.is_zero(a) || f.is_infinity(a)) return a & f.sign();
  const Exact value = unpack(f, a);
  if (value.exponent >= 0) return 0;
  const Exact minus_floor{!value.negative, 0, integral(value, Rounding::down).first, false};
  const Exact difference = sum(value, minus_floor, Rounding::near_even);
  const uint64_t rounded = round(f, difference, mode);
  return rounded >= f.one() ? f.one() - 1 : rounded;
}

Order compare(const Format& f, uint64_t a, uint64_t b, bool signaling, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  uint64_t nan = 0;
  if (nan_result(f, mode, nan, a, b)) {
    if (signaling) mode.raised |= exception_invalid_operation;
    return Order::unordered;
  }
  // Magnitudes are ordered like their bit patterns; both zeros are the same number.
  const auto number = [&](uint64_t bits) {
    const auto magnitude = static_cast<int64_t>(bits & (f.sign() - 1));
    return f.is_negative(bits) ? -magnitude : magnitude;
  };
  const int64_t left = number(a), right = number(b);
  return left < right ? Order::less : left > right ? Order::greater : Order::equal;
}

namespace {

uint64_t extremum(const Format& f, uint64_t a, uint64_t b, bool largest, Mode& mode) {
  a = flush_source(f, a, mode);
  b = flush_source(f, b, mode);
  if (f.is_signaling(a) || f.is_signaling(b) || (f.is_nan(a) && f.is_nan(b))) {
    uint64_t nan = 0;
    nan_result(f, mode, nan, a, b);
    return nan;
  }
  if (f.is_nan(a)) return b;
  if (f.is_nan(b)) return a;
  switch (compare(f, a, b, false, mode)) {
    case Order::less:
      return largest ? b : a;
    case Order::greater:
      return largest ? a : b;
    default:
      return f.is_negative(a) == largest ? b : a;  // equal: only zeros can differ, by their sign
  }
}

}  // namespace

uint64_t maximum(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  return extremum(f, a, b, true, mode);
}
uint64_t minimum(const Format& f, uint64_t a, uint64_t b, Mode& mode) {
  return extremum(f, a, b, false, mode);
}

uint64_t convert(const Format& to, const Format& from, uint64_t a, Mode& mode) {
  a = flush_source(from, a, mode);
  const uint64_t sign = from.is_negative(a) ? to.sign() : 0;
  if (from.is_nan(a)) {
    if (from.is_signaling(a)) mode.raised |= exception_invalid_operation;
    const uint64_t payload = a & from.fraction_mask();
    const int shift = to.fraction_bits - from.fraction_bits;
    return sign | to.infinity() | to.quiet_bit() | (shift >= 0 ? payload << shift : payload >> -shift);
  }
  if (from.is_infinity(a)) return sign | to.infinity();
  return round(to, unpack(from, a), mode);
}

uint64_t from_integer(const Format& to, uint64_t magnitude, bool negative, Mode& mode) {
  return round(to, {negative && magnitude != 0, 0, magnitude, false}, mode);
}

IntegerResult to_integer(const Format& from, uint64_t a, unsigned bits, bool is_signed, bool inexact_signals,
                         Mode& mode) {
  a = flush_source(from, a, mode);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t most = is_signed ? all >> 1 : all;       // largest value
  const uint64_t least = is_signed ? (all >> 1) + 1 : 0;  // magnitude of the smallest value
  const uint64_t least_bits = is_signed ? least : 0;
  const auto outside = [&](uint64_t value) {
    mode.raised |= exception_invalid_operation;
    return IntegerResult{value, true};
  };
  if (from.is_nan(a)) return outside(0);
  const bool negative = from.is_negative(a);
  if (from.is_infinity(a)) return outside(negative ? least_bits : most);
  const Exact value = unpack(from, a);
  if (value.exponent + width(value.significand) > 65) return outside(negative ? least_bits : most);
  const auto [magnitude, rest] = integral(value, mode.rounding);
  if (negative ? magnitude > least : magnitude > most) return outside(negative ? least_bits : most);
  if (rest != Rest::none && inexact_signals) mode.raised |= exception_inexact;
  const auto result = static_cast<uint64_t>(magnitude);
  return {(negative ? -result : result) & all, false};
}

}  // namespace heddle::exact
