// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the integer-only floating point with the floating-point unit of the host, in all rounding modes.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

#include <hsa/hsa_brig_directives.h>

#include "interpreter/exact.h"

namespace heddle::interpreter {
namespace {

template <typename T>
uint64_t bits(T value) {
  uint64_t result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}
template <typename T>
T value(uint64_t bits) {
  T result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

constexpr int host_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::near_even:
      return FE_TONEAREST;
    case Rounding::zero:
      return FE_TOWARDZERO;
    case Rounding::up:
      return FE_UPWARD;
    case Rounding::down:
      return FE_DOWNWARD;
  }
  return FE_TONEAREST;
}

uint32_t brig_exceptions(int host) {
  return ((host & FE_INVALID) ? HSA_BRIG_EXCEPTIONS_INVALID_OPERATION : 0) |
         ((host & FE_DIVBYZERO) ? HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO : 0) |
         ((host & FE_OVERFLOW) ? HSA_BRIG_EXCEPTIONS_OVERFLOW : 0) |
         ((host & FE_INEXACT) ? HSA_BRIG_EXCEPTIONS_INEXACT : 0);
}

/// Generates numbers of all classes, many of which are close to each other, to powers of two, or to the ends
/// of the range.
class Numbers {
 public:
  explicit Numbers(const Format& format) : f_(format) {}
  uint64_t next() {
    const uint64_t r = random_();
    const auto near_one = [&] {
      return static_cast<uint64_t>(f_.bias() + static_cast<int>(random_() % 20) - 10);
    };
    const uint64_t sign = r & f_.sign(), fraction = r & f_.fraction_mask();
    switch (random_() % 8) {
      case 0:
        return r & f_.mask();
      case 1:
        return sign | fraction | (random_() % 3 << f_.fraction_bits);
      case 2:
        return sign | f_.infinity() | (r & 1 ? fraction : 0);
      case 3:
        return sign;
      case 4:
        return sign | f_.largest();
      case 5:
        return sign | fraction | near_one() << f_.fraction_bits;
      case 6:
        return sign | near_one() << f_.fraction_bits | (f_.fraction_mask() - random_() % 3);
      default:
        return sign | near_one() << f_.fraction_bits | random_() % 3;
    }
  }

 private:
  const Format& f_;
  std::mt19937_64 random_{42};
};

template <typename T, typename Host, typename Ours>
void compare(const char* name, const Format& f, Host host, Ours ours) {
  Numbers numbers(f);
  int failures = 0;
  for (int i = 0; i < 100000 && failures < 10; ++i) {
    const uint64_t a = numbers.next(), b = numbers.next(), c = numbers.next();
    Mode mode;
    mode.rounding = static_cast<Rounding>(i % 4);
    const uint64_t got = ours(a, b, c, mode);
    volatile T x = value<T>(a), y = value<T>(b), z = value<T>(c);
    std::fesetround(host_rounding(mode.rounding));
    std::feclearexcept(FE_ALL_EXCEPT);
    volatile T result = host(x, y, z);
    const uint32_t raised = brig_exceptions(std::fetestexcept(FE_ALL_EXCEPT));
    std::fesetround(FE_TONEAREST);
    const uint64_t expected = bits<T>(result);
    const bool both_nan = f.is_nan(got) && f.is_nan(expected);
    // Underflow is left out: PRM 4.19.3 leaves open whether tininess is detected before or after rounding.
    const uint32_t got_raised = mode.raised & ~uint32_t{HSA_BRIG_EXCEPTIONS_UNDERFLOW};
    if ((both_nan || got == expected) && got_raised == raised) continue;
    ++failures;
    ADD_FAILURE() << name << " mode " << i % 4 << std::hex << " of " << a << ", " << b << ", " << c << ": "
                  << got << " (" << got_raised << ") instead of " << expected << " (" << raised << ")";
  }
}

template <typename T>
void compare_all(const Format& f) {
  compare<T>(
      "add", f, [](T a, T b, T) -> T { return a + b; },
      [&](uint64_t a, uint64_t b, uint64_t, Mode& m) { return add(f, a, b, m); });
  compare<T>(
      "sub", f, [](T a, T b, T) -> T { return a - b; },
      [&](uint64_t a, uint64_t b, uint64_t, Mode& m) { return subtract(f, a, b, m); });
  compare<T>(
      "mul", f, [](T a, T b, T) -> T { return a * b; },
      [&](uint64_t a, uint64_t b, uint64_t, Mode& m) { return multiply(f, a, b, m); });
  compare<T>(
      "div", f, [](T a, T b, T) -> T { return a / b; },
      [&](uint64_t a, uint64_t b, uint64_t, Mode& m) { return divide(f, a, b, m); });
  compare<T>(
      "sqrt", f, [](T a, T, T) -> T { return std::sqrt(a); },
      [&](uint64_t a, uint64_t, uint64_t, Mode& m) { return square_root(f, a, m); });
  compare<T>(
      "fma", f, [](T a, T b, T c) -> T { return std::fma(a, b, c); },
      [&](uint64_t a, uint64_t b, uint64_t c, Mode& m) { return fused_multiply_add(f, a, b, c, m); });
  compare<T>(
      "rint", f, [](T a, T, T) -> T { return std::nearbyint(a); },
      [&](uint64_t a, uint64_t, uint64_t, Mode& m) { return round_to_integral(f, a, m); });
}

TEST(Exact, AgreesWithTheHostOnFloat) { compare_all<float>(single); }
TEST(Exact, AgreesWithTheHostOnDouble) { compare_all<double>(binary64); }

TEST(Exact, NarrowingAgreesWithTheHost) {
  Numbers numbers(binary64);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t a = numbers.next();
    if (binary64.is_nan(a)) continue;
    Mode mode;
    mode.rounding = static_cast<Rounding>(i % 4);
    volatile double x = value<double>(a);
    std::fesetround(host_rounding(mode.rounding));
    volatile float expected = static_cast<float>(x);
    std::fesetround(FE_TONEAREST);
    ASSERT_EQ(convert(single, binary64, a, mode), bits<float>(expected)) << std::hex << a;
  }
}

/// For every f16 value, widening and narrowing gives it back. Arithmetic in the larger format is exact for
/// the sum and the product of two of them, so it gives the same result after one rounding.
TEST(Exact, HalfIsConsistentWithDouble) {
  std::mt19937 random(7);
  for (uint32_t a = 0; a < 0x10000; ++a) {
    Mode mode;
    if (!half.is_nan(a)) {
      ASSERT_EQ(convert(half, binary64, convert(binary64, half, a, mode), mode), a);
    }
    const uint64_t b = random() & 0xffff;
    if (half.is_nan(a) || half.is_nan(b)) continue;
    mode.rounding = static_cast<Rounding>(a % 4);
    Mode wide = mode, narrow = mode;
    const uint64_t da = convert(binary64, half, a, wide), db = convert(binary64, half, b, wide);
    const uint64_t sum = convert(half, binary64, add(binary64, da, db, wide), wide);
    const uint64_t product = convert(half, binary64, multiply(binary64, da, db, wide), wide);
    ASSERT_EQ(add(half, a, b, narrow), sum) << std::hex << a << " " << b;
    ASSERT_EQ(multiply(half, a, b, narrow), product) << std::hex << a << " " << b;
  }
}

TEST(Exact, PayloadsSurviveWideningAndNarrowing) {
  for (uint64_t a = 0x7c01; a < 0x8000; ++a) {
    Mode mode;
    const uint64_t quiet = a | half.quiet_bit();
    EXPECT_EQ(convert(half, single, convert(single, half, a, mode), mode), quiet);
    EXPECT_EQ(convert(half, binary64, convert(binary64, half, a, mode), mode), quiet);
  }
}

}  // namespace
}  // namespace heddle::interpreter
