// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The native functions (PRM 5.14), for one number and for several at once. No accuracy is promised; these are
// good to a few units in the last place. All forms have the same results to the last bit, because they do the
// same operations on each number: there are no branches, and special cases are selected at the end.
#pragma once

#include <stdint.h>

namespace native {

// The types of `lanes` numbers.
template <int lanes>
struct Types {
  using Float = float __attribute__((ext_vector_type(lanes)));
  using Double = double __attribute__((ext_vector_type(lanes)));
  using Bits = uint64_t __attribute__((ext_vector_type(lanes)));

  static Double widen(Float value) { return __builtin_convertvector(value, Double); }
  static Float narrow(Double value) { return __builtin_convertvector(value, Float); }
};
template <>
struct Types<1> {
  using Float = float;
  using Double = double;
  using Bits = uint64_t;

  static Double widen(Float value) { return value; }
  static Float narrow(Double value) { return static_cast<Float>(value); }
};

template <int lanes>
struct Functions {
  using Float = typename Types<lanes>::Float;
  using Double = typename Types<lanes>::Double;
  using Bits = typename Types<lanes>::Bits;

  static Bits bits_of(Double value) { return __builtin_bit_cast(Bits, value); }
  static Double of_bits(Bits bits) { return __builtin_bit_cast(Double, bits); }
  static auto is_nan(Double value) { return value != value; }  // NOLINT(misc-redundant-expression)

  // Returns the integer nearest to a value below 2^51. *low_bits becomes a number whose low 51 bits are those
  // of the integer in two's complement.
  static Double nearest_integer(Double value, Bits* low_bits) {
    const Double shifted = value + 0x1.8p52;
    *low_bits = bits_of(shifted);
    return shifted - 0x1.8p52;
  }

  // Computes exp2 of a value from -0.5 to 0.5 by the Taylor series of exp(x ln 2).
  static Double exp2_small(Double x) {
    const Double y = x * 0.693147180559945309417;
    Double sum = 1.0 / 40320;
    sum = sum * y + 1.0 / 5040;
    sum = sum * y + 1.0 / 720;
    sum = sum * y + 1.0 / 120;
    sum = sum * y + 1.0 / 24;
    sum = sum * y + 1.0 / 6;
    sum = sum * y + 0.5;
    sum = sum * y + 1.0;
    return sum * y + 1.0;
  }

  static Double exp2(Double value) {
    const Double most = 200.0, least = -200.0;  // they over- and underflow in the last conversion
    Double x = value > most ? most : value;
    x = x < least ? least : x;
    Bits low_bits;
    const Double whole = nearest_integer(x, &low_bits);
    const Double scale = of_bits((low_bits + uint64_t{1023}) << uint64_t{52});
    return is_nan(value) ? value + value : exp2_small(x - whole) * scale;
  }

  // Every f32 is normal in f64.
  static Double log2(Double value) {
    // value = m * 2^e with m from 0.7071.. to 1.4142...
    const uint64_t root_half = 0x3fe6a09e667f3bcd;
    const uint64_t bias = 1024;  // keeps e from being negative
    const Bits bits = bits_of(value);
    const Bits exponent = (bits - root_half + (bias << 52)) >> uint64_t{52};
    const Double m = of_bits(bits - ((exponent - bias) << uint64_t{52}));
    const Double e = of_bits(exponent + uint64_t{0x4330000000000000}) - (0x1p52 + bias);
    // log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172
    const Double s = (m - 1.0) / (m + 1.0), t = s * s;
    Double sum = 1.0 / 15;
    sum = sum * t + 1.0 / 13;
    sum = sum * t + 1.0 / 11;
    sum = sum * t + 1.0 / 9;
    sum = sum * t + 1.0 / 7;
    sum = sum * t + 1.0 / 5;
    sum = sum * t + 1.0 / 3;
    sum = sum * t + 1.0;
    const Double infinity = __builtin_inf(), none = __builtin_nan(""), zero = 0.0;
    Double result = 2.0 * s * sum * 1.44269504088896340736 + e;
    result = value == infinity ? infinity : result;
    result = value < zero ? none : result;
    result = value == zero ? -infinity : result;
    return is_nan(value) ? value + value : result;
  }

  static Double sin_small(Double x) {
    const Double t = x * x;
    Double sum = -1.0 / 39916800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t - 1.0 / 5040;
    sum = sum * t + 1.0 / 120;
    sum = sum * t - 1.0 / 6;
    return x + x * t * sum;
  }

  static Double cos_small(Double x) {
    const Double t = x * x;
    Double sum = 1.0 / 479001600;
    sum = sum * t - 1.0 / 3628800;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t - 1.0 / 720;
    sum = sum * t + 1.0 / 24;
    return 1.0 - 0.5 * t + t * t * sum;
  }

  // Computes sin(value + quarters * pi/2). Beyond 2^50, where neighbouring f32 values are many periods apart,
  // the argument is taken to be 0.
  static Double sin_of_quarters(Double value, uint64_t quarters) {
    const Double zero = 0.0, limit = 0x1p50, period = 2.0;
    const Double x = __builtin_elementwise_abs(value) > limit ? zero : value;
    Bits low_bits;
    const Double count = nearest_integer(x * 0.63661977236758134308, &low_bits);
    // Within about a period, a quarter is the f32 nearest to pi/2, so that the multiples of it that a program
    // can write give exact zeros. Further out it is pi/2 in two parts, and the product with the first part is
    // exact up to 2^20 quarters.
    const Double near = x - count * 0x1.921fb6p0;
    const Double far = (x - count * 0x1.921fb544p0) - count * 0x1.0b4611a626331p-34;
    const Double rest = __builtin_elementwise_abs(count) <= period ? near : far;
    const Bits quadrant = low_bits + quarters;
    const Bits odd = quadrant & uint64_t{1}, negative = quadrant & uint64_t{2}, none = uint64_t{0};
    Double result = odd != none ? cos_small(rest) : sin_small(rest);
    result = negative != none ? zero - result : result;  // a zero in this half of the period is +0
    const Double nothing = value * zero;                 // a NaN for infinities and NaNs
    return nothing == zero ? result : nothing;
  }
  static Double sin(Double value) { return sin_of_quarters(value, 0); }
  static Double cos(Double value) { return sin_of_quarters(value, 1); }

  // Replaces `lanes` numbers by the results of a function. They are passed in memory, because how a vector is
  // passed by value depends on the instructions that a processor has.
  template <Double (*function)(Double)>
  static void replace(float* numbers) {
    Float values;
    __builtin_memcpy(&values, numbers, lanes * sizeof(float));
    values = Types<lanes>::narrow(function(Types<lanes>::widen(values)));
    __builtin_memcpy(numbers, &values, lanes * sizeof(float));
  }
  template <Double (*function)(Double)>
  static float of(float value) {
    replace<function>(&value);
    return value;
  }
};

}  // namespace native
