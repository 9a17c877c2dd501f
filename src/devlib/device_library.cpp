// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that compiled kernels may need when a target has no instructions for them. They are compiled to
// bitcode at build time, and the finalizer links them into the modules of kernels. They are freestanding:
// they use no library, no errno and no rounding mode except the default.
#include <stdint.h>

#include "native.h"

// The finalizer finds the functions by these names.
extern "C" {

// Values of hsa_brig_round_t.
enum { round_near = 2, round_zero = 3, round_up = 4, round_down = 5 };

static inline uint32_t bits_of_f32(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline float f32_of_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t bits_of_f64(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double f64_of_bits(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// ---- half precision

float hsail_dev_f16_to_f32(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t size = half & 0x7fff;
  if (size >= 0x7c00) {  // infinity, or a NaN, which becomes quiet
    const uint32_t quiet = size > 0x7c00 ? 0x00400000 : 0;
    return f32_of_bits(sign | 0x7f800000 | (size & 0x3ff) << 13 | quiet);
  }
  if (size >= 0x0400) return f32_of_bits(sign | (size << 13) + (112u << 23));
  // Subnormal: an integer of at most ten bits times 2^-24.
  const float value = (float)size * 0x1p-24f;
  return f32_of_bits(sign | bits_of_f32(value));
}

uint16_t hsail_dev_f32_to_f16(float value) {
  const uint32_t bits = bits_of_f32(value);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  const uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x3ff));
  if (size >= 0x477ff000) return (uint16_t)(sign | 0x7c00);  // 65520 and above round to infinity
  if (size >= 0x38800000) {                                  // normal in half precision
    const uint32_t odd = size >> 13 & 1;
    return (uint16_t)(sign | (size - (112u << 23) + 0xfff + odd) >> 13);
  }
  // Subnormal: after 1/2 is added, the last place of the f32 sum has the value of the last place of the
  // result.
  const float shifted = f32_of_bits(size) + 0.5f;
  return (uint16_t)(sign | (bits_of_f32(shifted) - 0x3f000000));
}

// ---- fused multiply-add

// Rounds an f64 to f32 in any mode. `odd` was rounded to odd before.
static float narrow(double odd, int round) {
  const float nearest = (float)odd;
  const double back = nearest;
  uint32_t bits = bits_of_f32(nearest);
  const uint32_t negative = bits >> 31;
  if (round == round_up && back < odd) bits += negative ? -1u : 1u;
  if (round == round_down && back > odd) bits += negative ? 1u : -1u;
  if (round == round_zero && (negative ? back < odd : back > odd)) bits -= 1;
  return f32_of_bits(bits);
}

float hsail_dev_fma_f32(float a, float b, float c, int round) {
  if (c != c && a == a && b == b)
    return c + c;                        // also for 0 * infinity: the result is the one NaN among the sources
  const double product = (double)a * b;  // exact
  const double addend = c;
  double sum = product + addend;
  // The exact rounding error of the sum. The range of f64 is so large that nothing over- or underflows.
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  if (error < 0 || error > 0) {
    uint64_t bits = bits_of_f64(sum);
    if ((bits & 1) == 0) bits += (error < 0) == (sum < 0) ? 1 : -1ull;
    sum = f64_of_bits(bits);
  } else if (sum == 0 && round == round_down) {
    const uint64_t sign = (bits_of_f64(product) | bits_of_f64(addend)) >> 63;
    sum = sign ? -0.0 : 0.0;
  }
  return narrow(sum, round);
}

// A finite number as (-1)^negative * significand * 2^exponent. The highest one of the significand is bit 52
// or a lower one.
struct Parts {
  uint64_t significand;
  int exponent;
  int negative;
};

static struct Parts take_apart(double value) {
  const uint64_t bits = bits_of_f64(value);
  const int biased = (int)(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffffull;
  struct Parts parts = {biased ? fraction | 1ull << 52 : fraction, (biased ? biased : 1) - 1075,
                        (int)(bits >> 63)};
  return parts;
}

// Returns the position of the highest one, plus 1; 0 for 0.
static int length(unsigned __int128 value) {
  const uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
  if (high) return 128 - __builtin_clzll(high);
  return low ? 64 - __builtin_clzll(low) : 0;
}

// Shifts right. If any ones are shifted out, the lowest bit of the result is set.
static unsigned __int128 shift_sticky(unsigned __int128 value, int by) {
  if (by <= 0) return value;
  if (by > 127) return value != 0;
  return value >> by | ((value & (((unsigned __int128)1 << by) - 1)) != 0);
}

// Rounds (-1)^negative * value * 2^exponent to f64. The lowest bit of `value` is sticky, and `value` is not
// 0.
static double round_to_f64(int negative, unsigned __int128 value, int exponent, int round) {
  // Shift to 55 bits: the 53 of the result, the first bit that is lost, and a sticky bit. Subnormal results
  // have fewer.
  int shift = length(value) - 55;
  if (exponent + shift < -1076) shift = -1076 - exponent;
  if (shift > 0)
    value = shift_sticky(value, shift);
  else
    value <<= -shift;
  exponent += shift;
  uint64_t significand = (uint64_t)(value >> 2);
  const unsigned rest = (unsigned)(value & 3);
  int up = 0;
  if (round == round_near) up = rest > 2 || (rest == 2 && (significand & 1));
  if (round == round_up) up = rest != 0 && !negative;
  if (round == round_down) up = rest != 0 && negative;
  significand += (uint64_t)up;
  exponent += 2;
  // The addition of the parts carries into the next exponent, and from subnormal to normal, by itself.
  const uint64_t sign = (uint64_t)negative << 63;
  const int biased = significand >> 52 ? exponent + 1075 : 1;
  if (biased >= 0x7ff || (biased == 0x7fe && significand >> 53)) {
    const int to_largest =
        round == round_zero || (round == round_up && negative) || (round == round_down && !negative);
    return f64_of_bits(sign | (to_largest ? 0x7fefffffffffffffull : 0x7ff0000000000000ull));
  }
  return f64_of_bits(sign | (((uint64_t)(biased - 1) << 52) + significand));
}

double hsail_dev_fma_f64(double a, double b, double c, int round) {
  const uint64_t infinity = 0x7ff0000000000000ull, sign_bit = 1ull << 63;
  const uint64_t size_a = bits_of_f64(a) & ~sign_bit, size_b = bits_of_f64(b) & ~sign_bit;
  const uint64_t size_c = bits_of_f64(c) & ~sign_bit;
  // For NaNs, infinities and products that are zero the ordinary operations are right, except for 0 *
  // infinity + NaN, which is the NaN among the sources.
  if (size_c > infinity && size_a <= infinity && size_b <= infinity) return c + c;
  if (size_a >= infinity || size_b >= infinity) return a * b + c;
  if (size_c >= infinity) return c + 0.0;
  const struct Parts x = take_apart(a), y = take_apart(b), z = take_apart(c);
  const int negative = x.negative ^ y.negative;
  if (x.significand == 0 || y.significand == 0) {
    if (z.significand != 0) return c;
    if (negative == z.negative) return c;
    return round == round_down ? -0.0 : 0.0;
  }
  unsigned __int128 product = (unsigned __int128)x.significand * y.significand;
  int exponent = x.exponent + y.exponent;
  if (z.significand == 0) return round_to_f64(negative, product, exponent, round);
  // Both terms are shifted so that their top bit is bit 125, where the sum still fits. The term with the
  // smaller weight is then aligned with the other.
  unsigned __int128 addend = z.significand;
  int shift = 126 - length(product);
  product <<= shift;
  exponent -= shift;
  shift = 126 - length(addend);
  addend <<= shift;
  const int addend_exponent = z.exponent - shift;
  int weight = exponent;
  if (exponent >= addend_exponent) {
    addend = shift_sticky(addend, exponent - addend_exponent);
  } else {
    product = shift_sticky(product, addend_exponent - exponent);
    weight = addend_exponent;
  }
  if (negative == z.negative) return round_to_f64(negative, product + addend, weight, round);
  if (product == addend) return round == round_down ? -0.0 : 0.0;
  return product > addend ? round_to_f64(negative, product - addend, weight, round)
                          : round_to_f64(z.negative, addend - product, weight, round);
}

// ---- native functions

// Each function has a form for one number, and forms that replace 4, 8 or 16 numbers in memory by their
// results.
#define NATIVE_FUNCTION(NAME)                                             \
  float hsail_dev_##NAME(float value) {                                   \
    return native::Functions<1>::of<native::Functions<1>::NAME>(value);   \
  }                                                                       \
  void hsail_dev_##NAME##_v4(float* numbers) {                            \
    native::Functions<4>::replace<native::Functions<4>::NAME>(numbers);   \
  }                                                                       \
  void hsail_dev_##NAME##_v8(float* numbers) {                            \
    native::Functions<8>::replace<native::Functions<8>::NAME>(numbers);   \
  }                                                                       \
  void hsail_dev_##NAME##_v16(float* numbers) {                           \
    native::Functions<16>::replace<native::Functions<16>::NAME>(numbers); \
  }

NATIVE_FUNCTION(sin)
NATIVE_FUNCTION(cos)
NATIVE_FUNCTION(exp2)
NATIVE_FUNCTION(log2)

}  // extern "C"

#ifdef __NVPTX__
#include "nvptx.h"
#include "nvptx_image.h"
#endif
