// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle.h"

#include <cstdint>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_opcodes.h>
#include <hsa/hsa_brig_types.h>

#include "hsail/isa/types.h"

namespace heddle::testing {
namespace {

using isa::Field;

/// A binary interchange format in the terms of MPFR, whose significands are in [1/2, 1).
struct Binary {
  unsigned bits, precision;
  mpfr_exp_t least, greatest;  ///< exponents of the smallest subnormal and of the largest number

  unsigned fraction_bits() const { return precision - 1; }
  uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits()) - 1; }
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t mask() const { return sign() | (sign() - 1); }
  uint64_t infinity() const { return (sign() - 1) & ~fraction_mask(); }
  uint64_t quiet() const { return uint64_t{1} << (fraction_bits() - 1); }
  bool is_nan(uint64_t v) const { return (v & (sign() - 1)) > infinity(); }
  bool is_signaling(uint64_t v) const { return is_nan(v) && (v & quiet()) == 0; }
};
constexpr Binary binaries[] = {{16, 11, -23, 16}, {32, 24, -148, 128}, {64, 53, -1073, 1024}};

const Binary& binary_of(unsigned bits) { return binaries[bits == 16 ? 0 : bits == 32 ? 1 : 2]; }

/// An mpfr_t that frees itself. The default precision holds any f64 and any 64-bit integer exactly.
class Real {
 public:
  explicit Real(unsigned precision = 64) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

/// Widens MPFR's exponent range to that of any format and of any sum with a product.
void widen_range() {
  mpfr_set_emin(-5000);
  mpfr_set_emax(5000);
}

/// Returns the bits of the number, or a zero of its sign if it is subnormal (PRM 4.19.3).
uint64_t flushed(const Binary& f, uint64_t bits) {
  return (bits & f.infinity()) == 0 ? bits & f.sign() : bits & f.mask();
}

/// Sets `to` to the exact value. NaNs lose their payload.
void decode(mpfr_ptr to, const Binary& f, uint64_t bits) {
  const bool negative = (bits & f.sign()) != 0;
  const uint64_t magnitude = bits & (f.sign() - 1);
  if (magnitude > f.infinity()) return mpfr_set_nan(to);
  if (magnitude == f.infinity()) return mpfr_set_inf(to, negative ? -1 : 1);
  uint64_t fraction = magnitude & f.fraction_mask();
  auto exponent = static_cast<mpfr_exp_t>(magnitude >> f.fraction_bits());
  if (exponent != 0) fraction |= f.fraction_mask() + 1;
  if (exponent == 0) exponent = 1;
  mpfr_set_uj_2exp(to, fraction, f.least - 2 + exponent, MPFR_RNDN);
  mpfr_setsign(to, to, negative, MPFR_RNDN);
}

mpfr_exp_t lowest_normal(const Binary& f) { return f.least + static_cast<mpfr_exp_t>(f.precision) - 1; }

/// Returns the bits of a value that the format holds exactly.
uint64_t encode(const Binary& f, mpfr_srcptr value) {
  const uint64_t sign = mpfr_signbit(value) ? f.sign() : 0;
  if (mpfr_inf_p(value)) return sign | f.infinity();
  if (mpfr_zero_p(value)) return sign;
  const mpfr_exp_t lowest = lowest_normal(f);
  const mpfr_exp_t exponent = mpfr_get_exp(value);
  Real fraction(64);
  mpfr_abs(fraction, value, MPFR_RNDN);
  mpfr_mul_2si(fraction, fraction, f.precision - (exponent < lowest ? lowest : exponent), MPFR_RNDN);
  const uint64_t integer = mpfr_get_uj(fraction, MPFR_RNDN);
  if (exponent < lowest) return sign | integer;
  return sign | static_cast<uint64_t>(exponent - lowest + 1) << f.fraction_bits() |
         (integer & f.fraction_mask());
}

/// Rounds the result of `compute` to the format, once. `compute` sets its argument and returns MPFR's ternary
/// value.
template <typename Compute>
uint64_t rounded(const Binary& f, mpfr_rnd_t rounding, bool flush, Compute compute) {
  Real result(f.precision);
  int ternary = compute(static_cast<mpfr_ptr>(result));
  // Whether a result is tiny is decided before its exponent is limited (PRM 4.19.2).
  if (flush && mpfr_regular_p(result) && mpfr_get_exp(result) < lowest_normal(f))
    return mpfr_signbit(result) ? f.sign() : 0;
  mpfr_set_emin(f.least);
  mpfr_set_emax(f.greatest);
  ternary = mpfr_check_range(result, ternary, rounding);
  mpfr_subnormalize(result, ternary, rounding);
  widen_range();
  return encode(f, result);
}

mpfr_rnd_t float_rounding(unsigned round) {
  switch (round) {
    case HSA_BRIG_ROUND_FLOAT_ZERO:
      return MPFR_RNDZ;
    case HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY:
      return MPFR_RNDU;
    case HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY:
      return MPFR_RNDD;
    default:  // the tests use modules whose default is near
      return MPFR_RNDN;
  }
}

struct IntegerRounding {
  mpfr_rnd_t direction;
  bool saturating;
};
IntegerRounding integer_rounding(unsigned round) {
  switch (round) {
    case HSA_BRIG_ROUND_INTEGER_NEAR_EVEN:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN:
      return {MPFR_RNDN, false};
    case HSA_BRIG_ROUND_INTEGER_PLUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_PLUS_INFINITY:
      return {MPFR_RNDU, false};
    case HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY:
      return {MPFR_RNDD, false};
    case HSA_BRIG_ROUND_INTEGER_NEAR_EVEN_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN_SAT:
      return {MPFR_RNDN, true};
    case HSA_BRIG_ROUND_INTEGER_PLUS_INFINITY_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_PLUS_INFINITY_SAT:
      return {MPFR_RNDU, true};
    case HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY_SAT:
      return {MPFR_RNDD, true};
    case HSA_BRIG_ROUND_INTEGER_ZERO_SAT:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_ZERO_SAT:
      return {MPFR_RNDZ, true};
    default:
      return {MPFR_RNDZ, false};
  }
}

/// One evaluation. Its sources are decoded, and flushed if the instruction asks for it.
class Evaluation {
 public:
  Evaluation(const isa::Fields& fields, std::span<const Cell> sources)
      : fields_(fields),
        f_(binary_of(isa::bit_size(fields.type()))),
        flush_(fields[Field::ftz] != 0),
        rounding_(float_rounding(fields[Field::round])) {
    widen_range();
    const isa::Type type = source_type();
    if (!isa::is_float(type)) return;
    const Binary& from = binary_of(isa::bit_size(type));
    for (size_t i = 0; i < sources.size() && i < 3; ++i) {
      bits_[i] = flush_ ? flushed(from, sources[i].lo) : sources[i].lo & from.mask();
      decode(value_[i], from, bits_[i]);
      any_nan_ = any_nan_ || mpfr_nan_p(value_[i]);
      any_signaling_ = any_signaling_ || from.is_signaling(bits_[i]);
    }
  }

  Expected arithmetic() {
    const bool extremum = fields_.opcode == HSA_BRIG_OPCODE_MAX || fields_.opcode == HSA_BRIG_OPCODE_MIN;
    if (extremum) return extreme();
    if (any_nan_ || invalid()) return {Expected::Kind::nan, 0};
    switch (fields_.opcode) {
      case HSA_BRIG_OPCODE_FRACT:
        return {Expected::Kind::exact, fraction()};
      case HSA_BRIG_OPCODE_CEIL:
        return integral(MPFR_RNDU);
      case HSA_BRIG_OPCODE_FLOOR:
        return integral(MPFR_RNDD);
      case HSA_BRIG_OPCODE_TRUNC:
        return integral(MPFR_RNDZ);
      case HSA_BRIG_OPCODE_RINT:
        return integral(MPFR_RNDN);
      default:
        return {Expected::Kind::exact,
                rounded(f_, rounding_, flush_, [&](mpfr_ptr to) { return compute(to); })};
    }
  }

  /// Returns the exceptions of the operation (PRM 12.2). heddle detects tininess after rounding (IEEE
  /// 754-2008 7.5 a) for all instructions.
  Raised exceptions(std::span<const Cell> sources) {
    const isa::Type type = source_type();
    // ztest of a NaN gives 1 (Table 5-29), and the PRM says nothing about exceptions.
    if (fields_.type() == HSA_BRIG_TYPE_B1 && fields_.opcode == HSA_BRIG_OPCODE_CVT)
      return {0, HSA_BRIG_EXCEPTIONS_INVALID_OPERATION};
    if (any_signaling_) return {HSA_BRIG_EXCEPTIONS_INVALID_OPERATION, 0};
    if (fields_.opcode == HSA_BRIG_OPCODE_CMP) {
      const bool signals = fields_[Field::compare] >= HSA_BRIG_COMPARE_OPERATION_SEQ;
      return {any_nan_ && signals ? HSA_BRIG_EXCEPTIONS_INVALID_OPERATION : 0u, 0};
    }
    if (fields_.opcode == HSA_BRIG_OPCODE_CVT) return conversion_exceptions(type, sources);
    if (any_nan_) return nan_exceptions();
    if (invalid()) return {HSA_BRIG_EXCEPTIONS_INVALID_OPERATION, 0};
    switch (fields_.opcode) {
      case HSA_BRIG_OPCODE_DIV:
        if (mpfr_zero_p(value_[1]) && !mpfr_inf_p(value_[0])) return {HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO, 0};
        break;
      case HSA_BRIG_OPCODE_FRACT:
        // x - floor(x) is rounded only for small negative x, and the PRM names no exception but invalid
        // operation.
        return {0, HSA_BRIG_EXCEPTIONS_INEXACT | HSA_BRIG_EXCEPTIONS_UNDERFLOW};
      case HSA_BRIG_OPCODE_CEIL:
      case HSA_BRIG_OPCODE_FLOOR:
      case HSA_BRIG_OPCODE_TRUNC:
      case HSA_BRIG_OPCODE_RINT:
      case HSA_BRIG_OPCODE_MAX:
      case HSA_BRIG_OPCODE_MIN:
        return {};
      default:
        break;
    }
    return rounding_exceptions([&](mpfr_ptr to) { return compute(to); });
  }

  Expected compare() {
    const bool unordered = any_nan_;
    const int order = unordered ? 0 : mpfr_cmp(value_[0], value_[1]);
    const bool holds = relation_holds(unordered, order);
    const isa::Type type = fields_.type();
    const unsigned bits = isa::bit_size(type);
    if (!holds) return {};
    if (type == HSA_BRIG_TYPE_B1) return {Expected::Kind::exact, 1};
    if (isa::is_float(type)) {  // 1.0
      const Binary& f = binary_of(bits);
      return {Expected::Kind::exact, (f.infinity() >> 1) & ~f.fraction_mask()};
    }
    return {Expected::Kind::exact, bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1};
  }

  Expected convert(std::span<const Cell> sources) {
    const isa::Type from = source_type(), to = fields_.type();
    if (isa::is_float(from) && isa::is_float(to)) {
      if (any_nan_) return {Expected::Kind::any_nan, 0};
      return {Expected::Kind::exact, rounded(f_, rounding_, flush_, [&](mpfr_ptr into) {
                return mpfr_set(into, value_[0], rounding_);
              })};
    }
    if (isa::is_float(to)) return {Expected::Kind::exact, from_integer(from, sources[0].lo)};
    return to_integer(to);
  }

 private:
  isa::Type source_type() const {
    const bool other = fields_.opcode == HSA_BRIG_OPCODE_CVT || fields_.opcode == HSA_BRIG_OPCODE_CMP;
    return other ? fields_.source_type() : fields_.type();
  }

  /// Reports whether the operation has no number as result although all sources are numbers.
  bool invalid() {
    const auto inf = [&](int i) { return mpfr_inf_p(value_[i]) != 0; };
    const auto zero = [&](int i) { return mpfr_zero_p(value_[i]) != 0; };
    const auto negative = [&](int i) { return mpfr_signbit(value_[i]) != 0; };
    switch (fields_.opcode) {
      case HSA_BRIG_OPCODE_ADD:
        return inf(0) && inf(1) && negative(0) != negative(1);
      case HSA_BRIG_OPCODE_SUB:
        return inf(0) && inf(1) && negative(0) == negative(1);
      case HSA_BRIG_OPCODE_MUL:
        return (inf(0) && zero(1)) || (zero(0) && inf(1));
      case HSA_BRIG_OPCODE_DIV:
        return (inf(0) && inf(1)) || (zero(0) && zero(1));
      case HSA_BRIG_OPCODE_SQRT:
        return negative(0) && !zero(0);
      case HSA_BRIG_OPCODE_FMA:
      case HSA_BRIG_OPCODE_MAD:
        if ((inf(0) && zero(1)) || (zero(0) && inf(1))) return true;
        return (inf(0) || inf(1)) && inf(2) && (negative(0) != negative(1)) != negative(2);
      default:
        return false;
    }
  }

  Raised nan_exceptions() {
    const bool fused = fields_.opcode == HSA_BRIG_OPCODE_FMA || fields_.opcode == HSA_BRIG_OPCODE_MAD;
    const bool undefined_product = (mpfr_inf_p(value_[0]) && mpfr_zero_p(value_[1])) ||
                                   (mpfr_zero_p(value_[0]) && mpfr_inf_p(value_[1]));
    return {0, fused && undefined_product ? HSA_BRIG_EXCEPTIONS_INVALID_OPERATION : 0u};
  }

  /// Returns the exceptions that rounding the result of `compute` raises.
  template <typename Compute>
  Raised rounding_exceptions(Compute compute) {
    widen_range();
    Real unbounded(f_.precision);  // the exponent is not limited
    const int ternary = compute(static_cast<mpfr_ptr>(unbounded));
    if (mpfr_inf_p(unbounded) || (mpfr_zero_p(unbounded) && ternary == 0)) return {};
    if (mpfr_get_exp(unbounded) > f_.greatest)
      return {HSA_BRIG_EXCEPTIONS_OVERFLOW | HSA_BRIG_EXCEPTIONS_INEXACT, 0};
    const bool tiny = mpfr_get_exp(unbounded) < lowest_normal(f_);
    if (tiny && flush_) return {HSA_BRIG_EXCEPTIONS_UNDERFLOW, HSA_BRIG_EXCEPTIONS_INEXACT};
    Real delivered(f_.precision);
    int change = compute(static_cast<mpfr_ptr>(delivered));
    mpfr_set_emin(f_.least);
    mpfr_set_emax(f_.greatest);
    change = mpfr_check_range(delivered, change, rounding_);
    change = mpfr_subnormalize(delivered, change, rounding_);
    widen_range();
    if (change == 0) return {};
    return {HSA_BRIG_EXCEPTIONS_INEXACT | (tiny ? HSA_BRIG_EXCEPTIONS_UNDERFLOW : 0u), 0};
  }

  Raised conversion_exceptions(isa::Type from, std::span<const Cell> sources) {
    const isa::Type to = fields_.type();
    if (from == HSA_BRIG_TYPE_B1 || to == HSA_BRIG_TYPE_B1) return {};
    if (isa::is_float(from) && isa::is_float(to)) {
      if (any_nan_) return {};
      return rounding_exceptions([&](mpfr_ptr into) { return mpfr_set(into, value_[0], rounding_); });
    }
    if (isa::is_float(to)) {
      Real exact(64);
      set_integer(exact, from, sources[0].lo);
      return rounding_exceptions([&](mpfr_ptr into) { return mpfr_set(into, exact, rounding_); });
    }
    const IntegerRounding rounding = integer_rounding(fields_[Field::round]);
    if (any_nan_) return {rounding.saturating ? 0u : uint32_t{HSA_BRIG_EXCEPTIONS_INVALID_OPERATION}, 0};
    if (to_integer(to).kind == Expected::Kind::undefined) return {HSA_BRIG_EXCEPTIONS_INVALID_OPERATION, 0};
    // PRM 5.19.4 leaves open what a saturating conversion raises for values out of range.
    if (rounding.saturating && !in_range(to, rounding)) return {0, ~0u};
    const bool integral = mpfr_integer_p(value_[0]) != 0;
    return {is_signaling(fields_[Field::round]) && !integral ? HSA_BRIG_EXCEPTIONS_INEXACT : 0u, 0};
  }
  static bool is_signaling(unsigned round) {
    return round >= HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN &&
           round <= HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY_SAT;
  }
  bool in_range(isa::Type to, const IntegerRounding& rounding) {
    Real least(64), greatest(64), whole(64);
    integer_range(least, greatest, to);
    mpfr_rint(whole, value_[0], rounding.direction);
    return mpfr_greaterequal_p(whole, least) != 0 && mpfr_lessequal_p(whole, greatest) != 0;
  }

  int compute(mpfr_ptr to) {
    switch (fields_.opcode) {
      case HSA_BRIG_OPCODE_ADD:
        return mpfr_add(to, value_[0], value_[1], rounding_);
      case HSA_BRIG_OPCODE_SUB:
        return mpfr_sub(to, value_[0], value_[1], rounding_);
      case HSA_BRIG_OPCODE_MUL:
        return mpfr_mul(to, value_[0], value_[1], rounding_);
      case HSA_BRIG_OPCODE_DIV:
        return mpfr_div(to, value_[0], value_[1], rounding_);
      case HSA_BRIG_OPCODE_SQRT:
        return mpfr_sqrt(to, value_[0], rounding_);
      default:  // mad is fused (docs/spec-decisions.md)
        return mpfr_fma(to, value_[0], value_[1], value_[2], rounding_);
    }
  }

  Expected integral(mpfr_rnd_t direction) {
    return {Expected::Kind::exact, rounded(f_, MPFR_RNDN, flush_, [&](mpfr_ptr to) {
              mpfr_rint(to, value_[0], direction);
              mpfr_setsign(to, to, mpfr_signbit(value_[0]), MPFR_RNDN);  // keeps the sign of zeros
              return 0;
            })};
  }

  /// Returns x - floor(x), rounded, but below 1 (PRM 5.11.1).
  uint64_t fraction() {
    if (mpfr_inf_p(value_[0]) || mpfr_zero_p(value_[0])) return mpfr_signbit(value_[0]) ? f_.sign() : 0;
    Real floor(64), difference(2200);
    mpfr_floor(floor, value_[0]);
    mpfr_sub(difference, value_[0], floor, MPFR_RNDN);  // exact: 2200 bits hold any f64 below 1
    const uint64_t bits =
        rounded(f_, rounding_, flush_, [&](mpfr_ptr to) { return mpfr_set(to, difference, rounding_); });
    const uint64_t one = (f_.infinity() >> 1) & ~f_.fraction_mask();
    return bits >= one ? one - 1 : bits;
  }

  Expected extreme() {
    if (any_signaling_) return {Expected::Kind::nan, 0};
    const bool first_nan = mpfr_nan_p(value_[0]) != 0, second_nan = mpfr_nan_p(value_[1]) != 0;
    if (first_nan && second_nan) return {Expected::Kind::nan, 0};
    if (first_nan) return {Expected::Kind::exact, bits_[1]};
    if (second_nan) return {Expected::Kind::exact, bits_[0]};
    if (mpfr_zero_p(value_[0]) && mpfr_zero_p(value_[1])) {
      return bits_[0] == bits_[1] ? Expected{Expected::Kind::exact, bits_[0]}
                                  : Expected{Expected::Kind::any_zero, 0};
    }
    const bool first_less = mpfr_less_p(value_[0], value_[1]) != 0;
    const bool wants_less = fields_.opcode == HSA_BRIG_OPCODE_MIN;
    return {Expected::Kind::exact, first_less == wants_less ? bits_[0] : bits_[1]};
  }

  bool relation_holds(bool unordered, int order) const {
    switch (fields_[Field::compare]) {
      case HSA_BRIG_COMPARE_OPERATION_EQ:
      case HSA_BRIG_COMPARE_OPERATION_SEQ:
        return !unordered && order == 0;
      case HSA_BRIG_COMPARE_OPERATION_NE:
      case HSA_BRIG_COMPARE_OPERATION_SNE:
        return !unordered && order != 0;
      case HSA_BRIG_COMPARE_OPERATION_LT:
      case HSA_BRIG_COMPARE_OPERATION_SLT:
        return !unordered && order < 0;
      case HSA_BRIG_COMPARE_OPERATION_LE:
      case HSA_BRIG_COMPARE_OPERATION_SLE:
        return !unordered && order <= 0;
      case HSA_BRIG_COMPARE_OPERATION_GT:
      case HSA_BRIG_COMPARE_OPERATION_SGT:
        return !unordered && order > 0;
      case HSA_BRIG_COMPARE_OPERATION_GE:
      case HSA_BRIG_COMPARE_OPERATION_SGE:
        return !unordered && order >= 0;
      case HSA_BRIG_COMPARE_OPERATION_EQU:
      case HSA_BRIG_COMPARE_OPERATION_SEQU:
        return unordered || order == 0;
      case HSA_BRIG_COMPARE_OPERATION_NEU:
      case HSA_BRIG_COMPARE_OPERATION_SNEU:
        return unordered || order != 0;
      case HSA_BRIG_COMPARE_OPERATION_LTU:
      case HSA_BRIG_COMPARE_OPERATION_SLTU:
        return unordered || order < 0;
      case HSA_BRIG_COMPARE_OPERATION_LEU:
      case HSA_BRIG_COMPARE_OPERATION_SLEU:
        return unordered || order <= 0;
      case HSA_BRIG_COMPARE_OPERATION_GTU:
      case HSA_BRIG_COMPARE_OPERATION_SGTU:
        return unordered || order > 0;
      case HSA_BRIG_COMPARE_OPERATION_GEU:
      case HSA_BRIG_COMPARE_OPERATION_SGEU:
        return unordered || order >= 0;
      case HSA_BRIG_COMPARE_OPERATION_NUM:
      case HSA_BRIG_COMPARE_OPERATION_SNUM:
        return !unordered;
      default:  // nan, snan
        return unordered;
    }
  }

  uint64_t from_integer(isa::Type from, uint64_t source) {
    Real exact(64);
    set_integer(exact, from, source);
    return rounded(f_, rounding_, false, [&](mpfr_ptr to) { return mpfr_set(to, exact, rounding_); });
  }
  static void set_integer(mpfr_ptr exact, isa::Type from, uint64_t source) {
    const unsigned bits = isa::bit_size(from);
    if (from == HSA_BRIG_TYPE_B1) {
      mpfr_set_uj(exact, source & 1, MPFR_RNDN);
    } else if (isa::is_signed(from)) {
      mpfr_set_sj(exact, static_cast<int64_t>(source << (64 - bits)) >> (64 - bits), MPFR_RNDN);
    } else {
      mpfr_set_uj(exact, bits == 64 ? source : source & ((uint64_t{1} << bits) - 1), MPFR_RNDN);
    }
  }
  static void integer_range(mpfr_ptr least, mpfr_ptr greatest, isa::Type to) {
    const unsigned bits = isa::bit_size(to);
    if (isa::is_signed(to)) {
      mpfr_set_sj(least, static_cast<int64_t>(~uint64_t{0} << (bits - 1)), MPFR_RNDN);
      mpfr_set_sj(greatest, static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1), MPFR_RNDN);
    } else {
      mpfr_set_uj(least, 0, MPFR_RNDN);
      mpfr_set_uj(greatest, ~uint64_t{0} >> (64 - bits), MPFR_RNDN);
    }
  }

  Expected to_integer(isa::Type to) {
    const unsigned bits = isa::bit_size(to);
    if (to == HSA_BRIG_TYPE_B1) return {Expected::Kind::exact, any_nan_ || !mpfr_zero_p(value_[0]) ? 1u : 0u};
    const IntegerRounding rounding = integer_rounding(fields_[Field::round]);
    if (any_nan_) return {rounding.saturating ? Expected::Kind::exact : Expected::Kind::undefined, 0};
    Real least(64), greatest(64), whole(64);
    integer_range(least, greatest, to);
    mpfr_rint(whole, value_[0], rounding.direction);
    const bool below = mpfr_less_p(whole, least) != 0, above = mpfr_greater_p(whole, greatest) != 0;
    if ((below || above) && !rounding.saturating) return {Expected::Kind::undefined, 0};
    const Real& result = below ? least : above ? greatest : whole;
    const uint64_t value = isa::is_signed(to) ? static_cast<uint64_t>(mpfr_get_sj(result, MPFR_RNDN))
                                              : static_cast<uint64_t>(mpfr_get_uj(result, MPFR_RNDN));
    return {Expected::Kind::exact, value & (~uint64_t{0} >> (64 - bits))};
  }

  const isa::Fields& fields_;
  const Binary& f_;
  bool flush_;
  mpfr_rnd_t rounding_;
  Real value_[3];
  uint64_t bits_[3] = {};
  bool any_nan_ = false, any_signaling_ = false;
};

bool is_packed(const isa::Fields& fields) {
  return isa::is_packed(fields.type()) || isa::is_packed(fields.source_type());
}

/// Returns the bits of an element of a register.
uint64_t element_bits(const Cell& cell, unsigned index, unsigned bits) {
  const unsigned first = index * bits;
  const uint64_t word = first < 64 ? cell.lo >> first : cell.hi >> (first - 64);
  return word & (~uint64_t{0} >> (64 - bits));
}

/// Reports whether a source provides its lowest element for all elements.
bool gives_lowest(unsigned pack, unsigned source) {
  switch (pack) {
    case HSA_BRIG_PACK_PS:
      return source == 1;
    case HSA_BRIG_PACK_SP:
      return source == 0;
    default:
      return false;
  }
}

bool has_scalar_oracle(const isa::Fields& fields) {
  switch (fields.opcode) {
    case HSA_BRIG_OPCODE_ADD:
    case HSA_BRIG_OPCODE_SUB:
    case HSA_BRIG_OPCODE_MUL:
    case HSA_BRIG_OPCODE_DIV:
    case HSA_BRIG_OPCODE_FMA:
    case HSA_BRIG_OPCODE_MAD:
    case HSA_BRIG_OPCODE_SQRT:
    case HSA_BRIG_OPCODE_FRACT:
    case HSA_BRIG_OPCODE_CEIL:
    case HSA_BRIG_OPCODE_FLOOR:
    case HSA_BRIG_OPCODE_TRUNC:
    case HSA_BRIG_OPCODE_RINT:
    case HSA_BRIG_OPCODE_MAX:
    case HSA_BRIG_OPCODE_MIN:
      return isa::is_float(fields.type());
    case HSA_BRIG_OPCODE_CMP:
      return isa::is_float(fields.source_type());
    case HSA_BRIG_OPCODE_CVT:
      return isa::is_float(fields.type()) || isa::is_float(fields.source_type());
    default:
      return false;
  }
}

}  // namespace

bool has_oracle(const isa::Fields& fields) {
  isa::Fields scalar = fields;
  scalar[Field::type] = isa::base_type(fields.type());
  scalar[Field::source_type] = isa::base_type(fields.source_type());
  return has_scalar_oracle(scalar);
}

std::vector<Element> elements(const isa::Fields& fields, std::span<const Cell> sources) {
  if (!is_packed(fields)) return {{fields, {sources.begin(), sources.end()}, 0}};
  const bool other = fields.opcode == HSA_BRIG_OPCODE_CVT || fields.opcode == HSA_BRIG_OPCODE_CMP;
  const isa::Type from = isa::base_type(other ? fields.source_type() : fields.type());
  isa::Fields scalar = fields;
  scalar[Field::type] = isa::base_type(fields.type());
  scalar[Field::source_type] = isa::base_type(fields.source_type());
  scalar[Field::pack] = HSA_BRIG_PACK_NONE;
  const unsigned pack = fields[Field::pack];
  const bool only_lowest = pack == HSA_BRIG_PACK_S || pack == HSA_BRIG_PACK_SS;
  std::vector<Element> all;
  for (unsigned n = 0; n < (only_lowest ? 1 : isa::packed_dimension(fields.type())); ++n) {
    Element element{scalar, {}, n};
    for (unsigned i = 0; i < sources.size(); ++i) {
      element.sources.push_back(
          {element_bits(sources[i], gives_lowest(pack, i) ? 0 : n, isa::bit_size(from)), 0});
    }
    all.push_back(std::move(element));
  }
  return all;
}

Expected expected_result(const isa::Fields& fields, std::span<const Cell> sources) {
  Evaluation evaluation(fields, sources);
  if (fields.opcode == HSA_BRIG_OPCODE_CMP) return evaluation.compare();
  if (fields.opcode == HSA_BRIG_OPCODE_CVT) return evaluation.convert(sources);
  return evaluation.arithmetic();
}

Raised expected_exceptions(const isa::Fields& fields, std::span<const Cell> sources) {
  Raised all;
  for (const Element& element : elements(fields, sources)) {
    const Raised raised = Evaluation(element.fields, element.sources).exceptions(element.sources);
    all.flags |= raised.flags;
    all.open |= raised.open;
  }
  all.open &= ~all.flags;  // an exception that some element must raise is not open
  return all;
}

bool accepts(const Expected& expected, const isa::Fields& fields, std::span<const Cell> sources,
             uint64_t bits) {
  const unsigned width = isa::bit_size(fields.type());
  bits &= ~uint64_t{0} >> (64 - width);
  const Binary& f = binary_of(width);
  const bool quiet_nan = f.is_nan(bits) && !f.is_signaling(bits);
  switch (expected.kind) {
    case Expected::Kind::exact:
      return bits == expected.bits;
    case Expected::Kind::undefined:
      return true;
    case Expected::Kind::any_zero:
      return (bits & ~f.sign()) == 0;
    case Expected::Kind::any_nan:
      return quiet_nan;
    case Expected::Kind::nan:
      break;
  }
  if (!quiet_nan) return false;
  bool any = false, found = false;
  for (const Cell& source : sources) {
    if (!f.is_nan(source.lo & f.mask())) continue;
    any = true;
    found = found || ((source.lo | f.quiet()) & (f.sign() - 1)) == (bits & ~f.sign());
  }
  return found || !any;
}

}  // namespace heddle::testing
