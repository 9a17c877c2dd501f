// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "values.h"

#include "hsail/isa/types.h"
#include "interpreter/exact.h"
#include "interpreter/op.h"

namespace heddle::testing {

uint64_t Values::integer(unsigned bits) {
  const uint64_t most = interpreter::low_mask(bits);
  const uint64_t sign = (most >> 1) + 1;
  switch (random_() % 12) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return most;
    case 3:
      return sign;
    case 4:
      return sign - 1;
    case 5:
      return sign + 1;
    case 6:
      return uint64_t{1} << random_() % bits;
    case 7:
      return (uint64_t{1} << random_() % bits) - 1;
    case 8:
      return random_() % 70;  // shift amounts, widths, divisors
    case 9:
      return -(random_() % 70);
    case 10:
      return random_() >> random_() % 64;
    default:
      return random_();
  }
}

uint64_t Values::floating(unsigned bits) {
  const interpreter::Format& f = interpreter::format_of(bits);
  const uint64_t r = random_(), sign = r & f.sign(), fraction = r & f.fraction_mask();
  const auto power = [&](int exponent) {
    return static_cast<uint64_t>(f.bias() + exponent) << f.fraction_bits;
  };
  switch (random_() % 16) {
    case 0:
      return sign;
    case 1:
      return sign | f.one();
    case 2:
      return sign | f.infinity();
    case 3:
      return sign | f.infinity() | f.quiet_bit() | fraction;
    case 4:
      return sign | f.infinity() | (fraction & (f.quiet_bit() - 1)) | 1;  // signaling
    case 5:
      return sign | f.largest();
    case 6:
      return sign | random_() % 4;  // the smallest subnormals
    case 7:
      return sign | (f.fraction_mask() - random_() % 2);  // the largest subnormals
    case 8:
      return sign | (f.fraction_mask() + 1 + random_() % 2);
    case 9:
      return sign | fraction;
    case 10:
      return sign | (power(static_cast<int>(random_() % 70) - 2) & f.infinity()) |
             (r & 3);  // around integers
    case 11:
      return sign | (power(static_cast<int>(random_() % 70) - 2) & f.infinity()) | f.quiet_bit();  // halves
    case 12:
      return sign | (power(static_cast<int>(random_() % 8) - 4) | fraction);
    case 13:
      return sign | (power(static_cast<int>(random_() % 8) - 4) | (f.fraction_mask() - random_() % 4));
    case 14:
      return sign | (power(static_cast<int>(random_() % 8) - 4) | random_() % 4);
    default:
      return r & f.mask();
  }
}

uint64_t Values::element(isa::Type type) {
  const unsigned bits = isa::bit_size(type);
  return isa::is_float(type) ? floating(bits) : integer(bits);
}

Cell Values::value(isa::Type type) {
  const isa::Type base = isa::base_type(type);
  const unsigned bits = isa::bit_size(base), count = isa::packed_dimension(type);
  interpreter::Value value{random_(), random_()};
  if (bits == 128) return {value.lo, value.hi};
  for (unsigned i = 0; i < count; ++i) interpreter::set_element(value, i, bits, element(base));
  return {value.lo, value.hi};
}

Cell Values::neutral_or_other(isa::Type type) {
  const isa::Type base = isa::base_type(type);
  const unsigned bits = isa::bit_size(base);
  if (bits == 128 || random_() % 3 == 0) return value(type);
  uint64_t neutral = random_() % 2;
  if (isa::is_float(base)) {
    const interpreter::Format& f = interpreter::format_of(bits);
    neutral = (neutral ? f.one() : 0) | (random_() % 2 ? f.sign() : 0);
  } else if (random_() % 3 == 0) {
    neutral = interpreter::low_mask(bits);
  }
  interpreter::Value value{random_(), random_()};
  for (unsigned i = 0; i < isa::packed_dimension(type); ++i)
    interpreter::set_element(value, i, bits, neutral);
  return {value.lo, value.hi};
}

}  // namespace heddle::testing
