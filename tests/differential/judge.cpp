// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "judge.h"

#include <cmath>
#include <cstring>

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/types.h"
#include "interpreter/exact.h"
#include "interpreter/op.h"

namespace heddle::testing {
namespace {

using interpreter::Format;
using interpreter::low_mask;
using isa::Field;

interpreter::Value value_of(const Cell& cell) { return {cell.lo, cell.hi}; }

bool is_native_approximation(unsigned opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_NCOS:
    case HSA_BRIG_OPCODE_NSIN:
    case HSA_BRIG_OPCODE_NEXP2:
    case HSA_BRIG_OPCODE_NLOG2:
    case HSA_BRIG_OPCODE_NRCP:
    case HSA_BRIG_OPCODE_NRSQRT:
    case HSA_BRIG_OPCODE_NSQRT:
    case HSA_BRIG_OPCODE_NFMA:
      return true;
    default:
      return false;
  }
}

bool is_saturating_round(unsigned round) {
  return (round >= HSA_BRIG_ROUND_INTEGER_NEAR_EVEN_SAT &&
          round <= HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY_SAT) ||
         round >= HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN_SAT;
}

interpreter::Rounding direction_of(unsigned round) {
  switch (round) {
    case HSA_BRIG_ROUND_INTEGER_NEAR_EVEN:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_NEAR_EVEN:
      return interpreter::Rounding::near_even;
    case HSA_BRIG_ROUND_INTEGER_PLUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_PLUS_INFINITY:
      return interpreter::Rounding::up;
    case HSA_BRIG_ROUND_INTEGER_MINUS_INFINITY:
    case HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY:
      return interpreter::Rounding::down;
    default:
      return interpreter::Rounding::zero;
  }
}

}  // namespace

bool Judge::is_comparable(unsigned opcode) {
  switch (opcode) {
    case HSA_BRIG_OPCODE_CLOCK:
    case HSA_BRIG_OPCODE_KERNARGBASEPTR:
    case HSA_BRIG_OPCODE_WAVEID:  // how waves share compute units is the agent's choice
    case HSA_BRIG_OPCODE_MAXWAVEID:
    case HSA_BRIG_OPCODE_DEBUGTRAP:
    case HSA_BRIG_OPCODE_SEGMENTP:  // addresses differ: compared by the memory tests
    case HSA_BRIG_OPCODE_FTOS:
    case HSA_BRIG_OPCODE_STOF:
    case HSA_BRIG_OPCODE_ALLOCA:
    case HSA_BRIG_OPCODE_SIGNAL:
    case HSA_BRIG_OPCODE_SIGNALNORET:
    case HSA_BRIG_OPCODE_BARRIER:
      return false;
    default:
      return true;
  }
}

uint64_t Judge::source(std::span<const Cell> sources, unsigned index, unsigned element) const {
  const isa::Type type = step_.sources[index];
  const unsigned bits = isa::bit_size(isa::base_type(type));
  return interpreter::element(value_of(sources[index]), isa::is_packed(type) ? element : 0, bits);
}

uint64_t Judge::effective_source(std::span<const Cell> sources, unsigned index, unsigned element) const {
  bool low = false;
  switch (fields_[Field::pack]) {
    case HSA_BRIG_PACK_PS:
    case HSA_BRIG_PACK_PSSAT:
      low = index == 1;
      break;
    case HSA_BRIG_PACK_SP:
    case HSA_BRIG_PACK_SPSAT:
      low = index == 0;
      break;
    default:
      break;
  }
  return source(sources, index, low ? 0 : element);
}

bool Judge::undefined_result(std::span<const Cell> sources, unsigned element) const {
  const unsigned bits = isa::bit_size(isa::base_type(fields_.type()));
  const bool is_signed = isa::is_signed(isa::base_type(fields_.type()));
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const auto inside_24_bits = [&](unsigned index) {
    const uint64_t value = source(sources, index, 0);
    const int64_t number = is_signed ? interpreter::sign_extend(value, 32) : static_cast<int64_t>(value);
    return is_signed ? number >= -0x800000 && number <= 0x7fffff : number <= 0xffffff;
  };
  switch (fields_.opcode) {
    case HSA_BRIG_OPCODE_DIV:
    case HSA_BRIG_OPCODE_REM:
      if (isa::is_float(isa::base_type(fields_.type()))) return false;
      return source(sources, 1, element) == 0 || (is_signed && source(sources, 0, element) == sign &&
                                                  source(sources, 1, element) == low_mask(bits));
    case HSA_BRIG_OPCODE_BITEXTRACT:
      return source(sources, 1, 0) % bits + source(sources, 2, 0) % bits > bits;
    case HSA_BRIG_OPCODE_BITINSERT:
      return source(sources, 2, 0) % bits + source(sources, 3, 0) % bits > bits;
    case HSA_BRIG_OPCODE_BITMASK:
      return source(sources, 0, 0) % bits + source(sources, 1, 0) % bits > bits;
    case HSA_BRIG_OPCODE_MUL24:
    case HSA_BRIG_OPCODE_MUL24HI:
    case HSA_BRIG_OPCODE_MAD24:
    case HSA_BRIG_OPCODE_MAD24HI:
      return !inside_24_bits(0) || !inside_24_bits(1);
    case HSA_BRIG_OPCODE_CVT: {
      const isa::Type from = isa::base_type(fields_.source_type());
      if (!isa::is_float(from) || !isa::is_integer(isa::base_type(fields_.type()))) return false;
      if (is_saturating_round(fields_[Field::round])) return false;
      interpreter::Mode mode{direction_of(fields_[Field::round]), fields_[Field::ftz] != 0, 0};
      return interpreter::to_integer(interpreter::format_of(isa::bit_size(from)), source(sources, 0, element),
                                     bits, is_signed, false, mode)
          .out_of_range;
    }
    default:
      return false;
  }
}

/// Reports whether two quiet NaNs are both allowed: each must come from a NaN source, unless no source is a
/// NaN. A conversion to another format may choose any payload.
bool Judge::accepts_nans(std::span<const Cell> sources, unsigned element, uint64_t a, uint64_t b) const {
  const unsigned bits = isa::bit_size(isa::base_type(fields_.type()));
  const Format& f = interpreter::format_of(bits);
  if (!f.is_nan(a) || !f.is_nan(b) || f.is_signaling(a) || f.is_signaling(b)) return false;
  if (fields_.opcode == HSA_BRIG_OPCODE_CVT) return true;
  bool any_source = false, a_found = false, b_found = false;
  for (unsigned i = 0; i < step_.sources.size(); ++i) {
    if (isa::base_type(step_.sources[i]) != isa::base_type(fields_.type())) continue;
    const uint64_t nan = effective_source(sources, i, element);
    if (!f.is_nan(nan)) continue;
    const uint64_t quiet = (nan | f.quiet_bit()) & ~f.sign();
    any_source = true;
    a_found = a_found || (a & ~f.sign()) == quiet;
    b_found = b_found || (b & ~f.sign()) == quiet;
  }
  return !any_source || (a_found && b_found);
}

/// Where the exact result is an ordinary number (and the argument of sine and cosine is small), both results
/// must lie within 2^-8 of each other. Elsewhere any result is accepted.
bool Judge::accepts_approximation(std::span<const Cell> sources, uint64_t a, uint64_t b) const {
  const unsigned bits = isa::bit_size(fields_.type());
  interpreter::Mode mode;
  const auto number = [&](uint64_t value) {
    const uint64_t wide =
        interpreter::convert(interpreter::binary64, interpreter::format_of(bits), value, mode);
    double result;
    std::memcpy(&result, &wide, sizeof result);
    return result;
  };
  const double x = number(a), y = number(b);
  if (!std::isfinite(x) || !std::isfinite(y)) return true;
  const bool periodic = fields_.opcode == HSA_BRIG_OPCODE_NSIN || fields_.opcode == HSA_BRIG_OPCODE_NCOS;
  if (periodic && !(std::abs(number(sources[0].lo)) < 100)) return true;
  return std::abs(x - y) <= std::ldexp(std::max(std::abs(x), std::abs(y)), -8) + 1e-4;
}

bool Judge::accepts_element(std::span<const Cell> sources, unsigned element, uint64_t a, uint64_t b) const {
  if (a == b || undefined_result(sources, element)) return true;
  const isa::Type base = isa::base_type(fields_.type());
  if (!isa::is_float(base)) return false;
  if (is_native_approximation(fields_.opcode)) return accepts_approximation(sources, a, b);
  if (accepts_nans(sources, element, a, b)) return true;
  const Format& f = interpreter::format_of(isa::bit_size(base));
  const bool extremum = fields_.opcode == HSA_BRIG_OPCODE_MAX || fields_.opcode == HSA_BRIG_OPCODE_MIN;
  return extremum && f.is_zero(a) && f.is_zero(b);
}

bool Judge::accepts(std::span<const Cell> sources, std::span<const Cell> a, std::span<const Cell> b) const {
  for (size_t i = 0; i < a.size(); ++i) {
    const isa::Type type = step_.destinations[i];
    const isa::Type base = isa::base_type(type);
    if (a[i] == b[i]) continue;
    if (base == HSA_BRIG_TYPE_B128) return false;
    const unsigned bits = isa::bit_size(base), count = isa::packed_dimension(type);
    for (unsigned k = 0; k < count; ++k) {
      const uint64_t left = interpreter::element(value_of(a[i]), k, bits);
      const uint64_t right = interpreter::element(value_of(b[i]), k, bits);
      if (!accepts_element(sources, k, left, right)) return false;
    }
    // The bits above an integer in its register are its extension; the bits above an f16 are undefined.
    if (count * bits < 64 && base != HSA_BRIG_TYPE_F16 && (a[i].lo ^ b[i].lo) >> count * bits != 0 &&
        !undefined_result(sources, 0)) {
      return false;
    }
  }
  return true;
}

}  // namespace heddle::testing
