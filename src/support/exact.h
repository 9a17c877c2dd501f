// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The floating-point arithmetic of HSAIL (PRM 4.19), computed with integers only: every operation forms the
/// exact result and rounds it once, in one place. It is independent of the host's floating-point unit and its
/// modes, so that it can serve as their oracle.
///
/// Values are bit patterns in the low bits of a uint64_t; upper bits of arguments are ignored. NaN rules
/// (4.19.4): if a source is a NaN, the result is the first NaN source, quieted; an invalid operation on
/// numbers gives the positive quiet NaN without payload. A tiny result under `flush` (4.19.3), which is
/// one that would be below the normal numbers if it were rounded as if there were smaller exponents, is
/// replaced by a zero of its sign.
namespace heddle::exact {

/// An IEEE 754 binary interchange format.
struct Format {
  uint8_t exponent_bits;
  uint8_t fraction_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// The exponent of the smallest normal number.
  constexpr int least_exponent() const { return 1 - bias(); }
  constexpr uint64_t sign() const { return uint64_t{1} << (exponent_bits + fraction_bits); }
  constexpr uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits) - 1; }
  constexpr uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr uint64_t quiet_bit() const { return uint64_t{1} << (fraction_bits - 1); }
  constexpr uint64_t largest() const { return infinity() - 1; }
  constexpr uint64_t one() const { return static_cast<uint64_t>(bias()) << fraction_bits; }
  constexpr uint64_t mask() const { return sign() | (sign() - 1); }
  constexpr uint64_t default_nan() const { return infinity() | quiet_bit(); }

  constexpr bool is_nan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
  constexpr bool is_signaling(uint64_t bits) const { return is_nan(bits) && (bits & quiet_bit()) == 0; }
  constexpr bool is_infinity(uint64_t bits) const { return (bits & (sign() - 1)) == infinity(); }
  constexpr bool is_zero(uint64_t bits) const { return (bits & (sign() - 1)) == 0; }
  constexpr bool is_subnormal(uint64_t bits) const {
    return (bits & infinity()) == 0 && (bits & fraction_mask()) != 0;
  }
  constexpr bool is_negative(uint64_t bits) const { return (bits & sign()) != 0; }
};
inline constexpr Format half{5, 10};
inline constexpr Format single{8, 23};
inline constexpr Format binary64{11, 52};

/// Returns the format of HSA_BRIG_TYPE_F16, F32 or F64, given its size in bits.
constexpr const Format& format_of(unsigned bits) {
  return bits == 16 ? half : bits == 32 ? single : binary64;
}

enum class Rounding : uint8_t { near_even, zero, up, down };

/// The exceptions that an operation can raise (PRM 12.2), with the bits of hsa_brig_exceptions_t.
inline constexpr uint32_t exception_invalid_operation = 1;
inline constexpr uint32_t exception_divide_by_zero = 2;
inline constexpr uint32_t exception_overflow = 4;
inline constexpr uint32_t exception_underflow = 8;
inline constexpr uint32_t exception_inexact = 16;

/// How an operation rounds, and the exceptions that it has raised (exception_*, or-ed).
struct Mode {
  Rounding rounding = Rounding::near_even;
  bool flush = false;  ///< ftz, of sources and results
  uint32_t raised = 0;
};

uint64_t add(const Format& f, uint64_t a, uint64_t b, Mode& mode);
uint64_t subtract(const Format& f, uint64_t a, uint64_t b, Mode& mode);
uint64_t multiply(const Format& f, uint64_t a, uint64_t b, Mode& mode);
uint64_t divide(const Format& f, uint64_t a, uint64_t b, Mode& mode);
/// a * b + c, rounded once.
uint64_t fused_multiply_add(const Format& f, uint64_t a, uint64_t b, uint64_t c, Mode& mode);
uint64_t square_root(const Format& f, uint64_t a, Mode& mode);
/// Computes a - floor(a), in [0, 1) (PRM 5.11.2).
uint64_t fraction_part(const Format& f, uint64_t a, Mode& mode);
/// The neighbouring integral number in the direction of mode.rounding; raises only invalid.
uint64_t round_to_integral(const Format& f, uint64_t a, Mode& mode);
/// The maxNum and minNum of IEEE 754-2008. Of two zeros with different signs, -0 is the smaller.
uint64_t maximum(const Format& f, uint64_t a, uint64_t b, Mode& mode);
uint64_t minimum(const Format& f, uint64_t a, uint64_t b, Mode& mode);

enum class Order : uint8_t { less, equal, greater, unordered };
/// Raises invalid for a signaling NaN, and with `signaling` for any NaN.
Order compare(const Format& f, uint64_t a, uint64_t b, bool signaling, Mode& mode);

/// Converts between formats (PRM 5.19). NaN payloads keep their most significant bits, so that widening and
/// narrowing back gives the same NaN.
uint64_t convert(const Format& to, const Format& from, uint64_t a, Mode& mode);
uint64_t from_integer(const Format& to, uint64_t magnitude, bool negative, Mode& mode);

/// A floating-point number as an integer of `bits` bits, rounded by mode.rounding (PRM 5.19.4).
struct IntegerResult {
  uint64_t bits = 0;
  bool out_of_range = false;  ///< also infinities and NaN; `bits` is then the saturated value, 0 for NaN
};
IntegerResult to_integer(const Format& from, uint64_t a, unsigned bits, bool is_signed, bool inexact_signals,
                         Mode& mode);

/// Returns the source, or a zero of its sign if mode.flush is set and the source is subnormal.
uint64_t flush_source(const Format& f, uint64_t a, const Mode& mode);

}  // namespace heddle::exact
