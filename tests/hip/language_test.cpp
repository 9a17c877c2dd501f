// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What heddle's headers of HIP define for kernels, against the host.
#include "language.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// The functions of language.hip return the last error, which a test before may have left.
class Language : public testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }
};

constexpr uint32_t edge_words[] = {0,       1,          2,          0x7f,       0x80,       0xffff,
                                   0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};

std::vector<uint32_t> pairs_of_words() {
  std::vector<uint32_t> pairs;
  for (const uint32_t a : edge_words)
    for (const uint32_t b : edge_words) pairs.insert(pairs.end(), {a, b});
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  for (int i = 0; i < 1000; ++i) pairs.push_back(static_cast<uint32_t>(random()));
  return pairs;
}

/// Bit i of the result is bit `width - 1 - i` of x.
uint64_t reversed(uint64_t x, int width) {
  uint64_t result = 0;
  for (int i = 0; i < width; ++i) result |= (x >> i & 1) << (width - 1 - i);
  return result;
}

uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
  const uint32_t words[2] = {x, y};
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t from = selector >> (4 * i) & 7;
    result |= (words[from / 4] >> (8 * (from % 4)) & 0xff) << (8 * i);
  }
  return result;
}

uint32_t inserted(uint32_t into, uint32_t bits, uint32_t offset, uint32_t width) {
  for (uint32_t i = 0; i < width && offset + i < 32; ++i)
    into = (into & ~(1U << (offset + i))) | (bits >> i & 1) << (offset + i);
  return into;
}

uint32_t extracted(uint32_t x, uint32_t offset, uint32_t width) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < width && offset + i < 32; ++i) result |= (x >> (offset + i) & 1) << i;
  return result;
}

int64_t low24(uint32_t x) { return static_cast<int32_t>(x << 8) >> 8; }

void expect_integers(uint32_t a, uint32_t b, const uint32_t* r) {
  const uint64_t wide = uint64_t{a} << 32 | b, turned = uint64_t{b} << 32 | a;
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const auto low = [](auto x) { return static_cast<uint32_t>(x); };
  EXPECT_EQ(r[0], low(std::popcount(a) | std::popcount(wide) << 8));
  EXPECT_EQ(r[1], low(std::countl_zero(a) | std::countl_zero(wide) << 8));
  EXPECT_EQ(r[2],
            low((a == 0 ? 0 : std::countr_zero(a) + 1) | (wide == 0 ? 0 : std::countr_zero(wide) + 1) << 8));
  EXPECT_EQ(r[3], low(reversed(a, 32)));
  EXPECT_EQ(r[4], low(reversed(wide, 64)));
  EXPECT_EQ(r[5], permuted(a, b, a >> 7));
  EXPECT_EQ(r[6], low(turned << (a >> 3 & 31) >> 32));
  EXPECT_EQ(r[7], (b & 63) >= 32 ? b : low(turned >> (b & 31)));
  EXPECT_EQ(r[8], low((int64_t{sa} + sb) >> 1));
  EXPECT_EQ(r[9], low((uint64_t{a} + b + 1) / 2));
  EXPECT_EQ(r[10], low(low24(a) * low24(b)));
  EXPECT_EQ(r[11], low(uint64_t{a} * b >> 32));
  EXPECT_EQ(r[12], low(int64_t{sa} * sb >> 32));
  EXPECT_EQ(r[13], low(static_cast<unsigned __int128>(wide) * wide >> 64));
  EXPECT_EQ(r[14], low(std::max(a, b) - std::min(a, b) + 7) + low(std::abs(int64_t{sa} - sb) + 9));
  EXPECT_EQ(r[15], inserted(a, b, a & 31, b & 31) ^ extracted(a, b & 31, a & 15));
}

TEST_F(Language, HasFunctionsForIntegers) {
  const std::vector<uint32_t> pairs = pairs_of_words();
  const DeviceMemory<uint32_t> input(pairs), output(pairs.size() * 8);
  HIP_OK(run_integers(output.data(), input.data(), static_cast<int>(pairs.size() / 2)));
  const auto results = output.values();
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    expect_integers(pairs[2 * i], pairs[2 * i + 1], &results[16 * i]);
    ASSERT_FALSE(HasFailure()) << std::hex << pairs[2 * i] << ' ' << pairs[2 * i + 1];
  }
}

std::vector<double> edge_doubles() {
  std::vector<double> values{0.0,   -0.0,   0.5,      -0.5,      1.5, 2.5,   -1.5, 1e-310,
                             1e300, -1e300, INFINITY, -INFINITY, NAN, 1e-45, 3e-46};
  for (const int power : {23, 24, 31, 32, 52, 53, 62, 63, 64, 127, 128})
    for (const double part : {-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0})
      for (const double sign : {-1.0, 1.0}) {
        values.push_back(sign * (std::ldexp(1.0, power) + part));
        values.push_back(sign * std::nextafter(std::ldexp(1.0, power), part * 1e300));
      }
  std::mt19937_64 random(2);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  for (int i = 0; i < 2000; ++i) values.push_back(std::bit_cast<double>(random()));
  for (int i = 0; i < 2000; ++i)
    values.push_back(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 60)));
  return values;
}

/// Returns a rounded number as an integer: the nearest one that T has, and 0 for NaN.
template <typename T>
uint64_t saturated(double rounded) {
  constexpr bool is_signed = std::is_signed_v<T>;
  T result = 0;
  if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    result = std::numeric_limits<T>::max();
  else if (rounded < (is_signed ? -std::ldexp(1.0, std::numeric_limits<T>::digits) : 0.0))
    result = std::numeric_limits<T>::min();
  else if (!std::isnan(rounded))
    result = static_cast<T>(rounded);
  return static_cast<std::make_unsigned_t<T>>(result);
}

/// Rounds with a mode of the host's processor.
template <typename To, typename From>
To rounded(From value, int mode) {
  const volatile From x = value;
  std::fesetround(mode);
  const volatile To result = static_cast<To>(x);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <typename Bits, typename Real>
void expect_real(uint64_t got, Real expected, const char* what) {
  const Real value = std::bit_cast<Real>(static_cast<Bits>(got));
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(value)) << what;
  else
    EXPECT_EQ(static_cast<Bits>(got), std::bit_cast<Bits>(expected)) << what;
}

void expect_conversions(double x, const uint64_t* r) {
  const auto f = static_cast<float>(x);
  EXPECT_EQ(r[0], saturated<int32_t>(std::nearbyint(x)));
  EXPECT_EQ(r[1], saturated<int32_t>(std::trunc(x)));
  EXPECT_EQ(r[2], saturated<int32_t>(std::ceil(x)));
  EXPECT_EQ(r[3], saturated<int32_t>(std::floor(x)));
  EXPECT_EQ(r[4], saturated<uint32_t>(std::nearbyint(x)));
  EXPECT_EQ(r[5], saturated<int64_t>(std::nearbyint(x)));
  EXPECT_EQ(r[6], saturated<uint64_t>(std::trunc(x)));
  EXPECT_EQ(r[7], saturated<int32_t>(std::nearbyint(f)));
  EXPECT_EQ(r[8], saturated<uint32_t>(std::ceil(f)));
  EXPECT_EQ(r[9], saturated<int64_t>(std::floor(f)));
  EXPECT_EQ(r[10], saturated<uint64_t>(std::nearbyint(f)));
  expect_real<uint32_t>(r[11], rounded<float>(x, FE_TONEAREST), "nearest");
  expect_real<uint32_t>(r[12], rounded<float>(x, FE_TOWARDZERO), "towards zero");
  expect_real<uint32_t>(r[13], rounded<float>(x, FE_UPWARD), "up");
  expect_real<uint32_t>(r[14], rounded<float>(x, FE_DOWNWARD), "down");
  expect_real<uint64_t>(r[15], x, "of two words");
}

TEST_F(Language, ConvertsToIntegersAndToFloat) {
  const std::vector<double> values = edge_doubles();
  const DeviceMemory<double> input(values);
  const DeviceMemory<uint64_t> output(values.size() * 16);
  HIP_OK(run_conversions(output.data(), input.data(), static_cast<int>(values.size())));
  const auto results = output.values();
  for (size_t i = 0; i < values.size(); ++i) {
    expect_conversions(values[i], &results[16 * i]);
    ASSERT_FALSE(HasFailure()) << std::hexfloat << values[i];
  }
}

TEST_F(Language, ConvertsIntegersWithARounding) {
  std::vector<int64_t> values{0,
                              1,
                              -1,
                              INT64_MAX,
                              INT64_MIN,
                              INT64_MIN + 1,
                              (1LL << 24) + 1,
                              -(1LL << 24) - 1,
                              (1LL << 53) + 1,
                              INT64_MAX - 511};
  std::mt19937_64 random(3);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<int64_t>(random()) >> random() % 64);
  const DeviceMemory<int64_t> input(values);
  const DeviceMemory<uint64_t> output(values.size() * 8);
  HIP_OK(run_real_conversions(output.data(), input.data(), static_cast<int>(values.size())));
  const auto results = output.values();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t x = values[i];
    const uint64_t* r = &results[8 * i];
    expect_real<uint32_t>(r[0], rounded<float>(x, FE_TONEAREST), "long, nearest");
    expect_real<uint32_t>(r[1], rounded<float>(x, FE_TOWARDZERO), "long, towards zero");
    expect_real<uint32_t>(r[2], rounded<float>(x, FE_UPWARD), "long, up");
    expect_real<uint32_t>(r[3], rounded<float>(x, FE_DOWNWARD), "long, down");
    expect_real<uint64_t>(r[4], rounded<double>(x, FE_UPWARD), "long to double, up");
    // x86-64 converts unsigned integers of 64 bits in steps that round; long double holds all of them.
    expect_real<uint64_t>(r[5],
                          rounded<double>(static_cast<long double>(static_cast<uint64_t>(x)), FE_DOWNWARD),
                          "unsigned long to double");
    expect_real<uint32_t>(r[6], rounded<float>(static_cast<int32_t>(x), FE_DOWNWARD), "int, down");
    expect_real<uint32_t>(r[7], rounded<float>(static_cast<int64_t>(static_cast<uint32_t>(x)), FE_TOWARDZERO),
                          "unsigned, towards zero");
    ASSERT_FALSE(HasFailure()) << x;
  }
}

float half_value(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

void expect_half(uint16_t got, double exact, const char* what) {
  const auto expected = static_cast<_Float16>(exact);
  if (std::isnan(exact))
    EXPECT_TRUE(std::isnan(half_value(got))) << what;
  else
    EXPECT_EQ(got, std::bit_cast<uint16_t>(expected)) << what;
}

TEST_F(Language, CalculatesWithHalves) {
  std::vector<uint16_t> pairs;
  for (const uint16_t a :
       {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7e00})
    for (const uint16_t b : {0x0000, 0x8000, 0x0001, 0x3c00, 0xc001, 0x7bff, 0xfbff, 0x7c00, 0x7e01, 0x2e66})
      pairs.insert(pairs.end(), {a, b});
  std::mt19937 random(4);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  for (int i = 0; i < 20000; ++i) pairs.push_back(static_cast<uint16_t>(random()));
  const DeviceMemory<uint16_t> input(pairs), output(pairs.size() * 6);
  HIP_OK(run_halves(output.data(), input.data(), static_cast<int>(pairs.size() / 2)));
  const auto results = output.values();
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    const double a = half_value(pairs[2 * i]), b = half_value(pairs[2 * i + 1]);
    const uint16_t* r = &results[12 * i];
    expect_half(r[0], a + b, "+");
    expect_half(r[1], a - b, "-");
    expect_half(r[2], a * b, "*");
    expect_half(r[3], a / b, "/");
    expect_half(r[4], std::fma(a, b, a), "fma");
    if (a != b || std::signbit(a) == std::signbit(b)) {  // which zero is the smaller one is not said
      expect_half(r[5], std::fmin(a, b), "min");
      expect_half(r[6], std::fmax(a, b), "max");
      const bool is_number = !std::isnan(a) && !std::isnan(b);
      expect_half(r[10], is_number ? std::fmin(a, b) : NAN, "min or NaN");
      expect_half(r[11], is_number ? std::fmax(a, b) : NAN, "max or NaN");
    }
    expect_half(r[7], std::sqrt(a), "sqrt");
    EXPECT_EQ(r[8], a < b);
    EXPECT_EQ(r[9], !(a < b));
    ASSERT_FALSE(HasFailure()) << std::hex << pairs[2 * i] << ' ' << pairs[2 * i + 1];
  }
}

/// The neighbours of x among the numbers of a format: `value` says what bits mean, and they are ordered as
/// integers are.
template <typename Value>
void expect_rounded(float x, uint16_t nearest, uint16_t truncated, uint16_t up, Value value,
                    uint16_t infinity) {
  uint16_t low = 0, high = infinity;  // of the absolute value
  const float size = std::fabs(x);
  while (high - low > 1) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (value(middle) <= size ? low : high) = middle;
  }
  if (std::isinf(x)) low = infinity;
  const bool exact = value(low) == size;
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
  EXPECT_EQ(truncated, low | sign);
  EXPECT_EQ(up, (exact || sign != 0 ? low : high) | sign);
  // The step to infinity is as large as the one before.
  const double next = high == infinity ? 2.0 * value(static_cast<uint16_t>(infinity - 1)) -
                                             value(static_cast<uint16_t>(infinity - 2))
                                       : value(high);
  const double below = double{size} - value(low), above = next - size;
  const bool takes_low = exact || below < above || (below == above && (low & 1) == 0);
  EXPECT_EQ(nearest, (takes_low ? low : high) | sign);
}

TEST_F(Language, RoundsToSmallFormats) {
  std::vector<float> values{0.0F,   -0.0F,   1.0F,     65504.0F, 65519.0F,  65520.0F, 65521.0F, 1e30F,
                            -1e30F, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, 2e-8F,    -5e-8F,   1e-40F};
  std::mt19937 random(5);  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  while (values.size() < 5000) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(x)) values.push_back(x);
    values.push_back(
        std::ldexp(static_cast<float>(random() % 8192) - 4096, static_cast<int>(random() % 40) - 24));
  }
  const DeviceMemory<float> input(values);
  const DeviceMemory<uint16_t> output(values.size() * 8);
  HIP_OK(run_half_conversions(output.data(), input.data(), static_cast<int>(values.size())));
  const auto results = output.values();
  const auto brain = [](uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); };
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t* r = &results[8 * i];
    expect_rounded(values[i], r[0], r[1], r[2], half_value, 0x7c00);
    expect_rounded(values[i], r[4], r[5], r[6], brain, 0x7f80);
    EXPECT_EQ(r[7], r[4]);
    EXPECT_EQ(r[3], (std::signbit(values[i]) && half_value(r[1]) != values[i] ? r[1] + 1 : r[1]));
    ASSERT_FALSE(HasFailure()) << std::hexfloat << values[i];
  }
}

TEST_F(Language, MovesValuesWithinWaves) {
  const DeviceMemory<int> output(64 * 8);
  HIP_OK(run_warps(output.data()));
  const auto results = output.values();
  const auto value = [](int i) { return 3 * i + 1; };
  for (int i = 0; i < 64; ++i) {
    const int wave = i & ~31, lane = i & 31;
    const int* r = &results[8 * static_cast<size_t>(i)];
    EXPECT_EQ(r[0], value(wave + 5)) << i;
    EXPECT_EQ(r[1], value((i & 15) < 3 ? i : i - 3)) << i;
    EXPECT_EQ(r[2], value(lane + 7 < 32 ? i + 7 : i)) << i;
    EXPECT_EQ(r[3], value(i ^ 9)) << i;
    EXPECT_EQ(r[4], value(i & ~7)) << i;
    uint32_t votes = 0;
    for (int j = 0; j < 32; ++j) votes |= ((wave + j) % 3 == 0 ? 1U : 0U) << j;
    EXPECT_EQ(static_cast<uint32_t>(r[5]), votes) << i;
    EXPECT_EQ(r[6], (wave == 32 ? 1 : 2) | lane << 2) << i;
    EXPECT_EQ(static_cast<uint32_t>(r[7]), i % 2 != 0 ? 0xaaaaaaaaU : 16U) << i;
  }
}

TEST_F(Language, FormsCooperativeGroups) {
  const DeviceMemory<int> output(64 * 10);
  HIP_OK(run_groups(output.data()));
  const auto results = output.values();
  for (int i = 0; i < 64; ++i) {
    const int* r = &results[10 * static_cast<size_t>(i)];
    EXPECT_EQ(r[0], 64 + 1000 * i);
    EXPECT_EQ(r[1], i % 8 + 100 * (i / 8) + 10000 * 8) << i;
    EXPECT_EQ(r[2], i % 8 + 3 < 8 ? i + 3 : i) << i;
    EXPECT_EQ(r[3], 0xaa) << i;
    EXPECT_EQ(r[4], (i / 8 == 2 ? 1 : 0) | (i < 16 ? 2 : 0)) << i;
    EXPECT_EQ(r[5], i % 16 + 1600) << i;
    const bool coalesced = i % 4 == 1;
    const int first = (i & ~31) + 1;
    EXPECT_EQ(r[6], coalesced ? 8 + 100 * (i % 32 / 4) : -1) << i;
    EXPECT_EQ(r[7], coalesced ? first + 8 : -1) << i;
    EXPECT_EQ(r[8], coalesced ? (i == first ? i : i - 4) : -1) << i;
    EXPECT_EQ(r[9], 0) << i;
  }
}

TEST_F(Language, HasAtomicOperations) {
  const DeviceMemory<int> output(std::vector<int>{0, 1000, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  HIP_OK(run_atomics(output.data()));
  const auto r = output.values();
  EXPECT_EQ(r[0], 255 * 128);
  EXPECT_EQ(r[1], 1000 - 512);
  EXPECT_EQ(r[2], -100);
  EXPECT_EQ(r[3], 255);
  EXPECT_EQ(r[4], ~255);
  EXPECT_EQ(r[5], (1 << 30) - 1);
  EXPECT_EQ(r[6], 0);
  EXPECT_EQ(r[7], 256 % 100);
  EXPECT_EQ(std::bit_cast<float>(r[8]), 128.0F);
  EXPECT_EQ(std::bit_cast<float>(r[9]), -251.5F);
  EXPECT_EQ(std::bit_cast<float>(r[10]), 255.5F);
  double greatest = 0;
  std::memcpy(&greatest, &r[12], sizeof greatest);
  EXPECT_EQ(greatest, 255.25);
}

TEST_F(Language, NumbersWorkItems) {
  const dim3 grid(3, 4, 2), block(5, 2, 3);
  const size_t count = size_t{24} * 30;
  const DeviceMemory<unsigned> output(4 * count);
  HIP_OK(run_ids(output.data(), grid, block));
  const auto results = output.values();
  const auto digits = [](unsigned x, unsigned y, unsigned z) { return x + 100 * y + 10000 * z; };
  for (unsigned i = 0; i < count; ++i) {
    const unsigned group = i / 30, item = i % 30;
    const unsigned* r = &results[size_t{4} * i];
    EXPECT_EQ(r[0], digits(group % 3, group / 3 % 4, group / 12)) << i;
    EXPECT_EQ(r[1], digits(item % 5, item / 5 % 2, item / 10)) << i;
    EXPECT_EQ(r[2], digits(5, 2, 3));
    EXPECT_EQ(r[3], digits(3, 4, 2));
  }
}

TEST_F(Language, ReducesOverWorkGroups) {
  const DeviceMemory<int> output(3);
  HIP_OK(run_reductions(output.data(), 40));
  EXPECT_EQ(output.values(), (std::vector<int>{40, 0, 1}));
  HIP_OK(run_reductions(output.data(), 64));
  EXPECT_EQ(output.values(), (std::vector<int>{64, 1, 1}));
  HIP_OK(run_reductions(output.data(), 0));
  EXPECT_EQ(output.values(), (std::vector<int>{0, 0, 0}));
}

TEST_F(Language, HasAClockAtTheRateOfTheDevice) {
  int rate = 0, wall_rate = 0;
  HIP_OK(hipDeviceGetAttribute(&rate, hipDeviceAttributeClockRate, 0));
  HIP_OK(hipDeviceGetAttribute(&wall_rate, hipDeviceAttributeWallClockRate, 0));
  ASSERT_GT(wall_rate, 0);
  const double ratio = rate == 0 ? 1 : static_cast<double>(rate) / wall_rate;
  const DeviceMemory<long long> output(6);
  HIP_OK(run_clocks(output.data()));
  const auto clocks = output.values();
  const auto passed = static_cast<double>(clocks[4] - clocks[1]);
  // What lies between the inner readings of the other clock has passed, and no more than between the outer
  // ones.
  EXPECT_GE(passed, 0.999 * ratio * static_cast<double>(clocks[3] - clocks[2]) - 2 * ratio);
  EXPECT_LE(passed, 1.001 * ratio * static_cast<double>(clocks[5] - clocks[0]) + 2 * ratio);
}

TEST_F(Language, HasVectorsAndComplexNumbers) {
  const DeviceMemory<float> output(12);
  HIP_OK(run_vectors(output.data()));
  EXPECT_EQ(output.values(), (std::vector<float>{1, 1.25F, 1, 10, 18, 5, 1, -2, 2.2F, -0.4F, 5, 0.25F}));
}

TEST_F(Language, AddsPairsOfHalvesAtomically) {
  const DeviceMemory<uint16_t> memory(4);
  HIP_OK(run_pair_atomics(memory.data()));
  const auto bits = memory.values();
  EXPECT_EQ(half_value(bits[0]), 256);
  EXPECT_EQ(half_value(bits[1]), 512);
  EXPECT_EQ(std::bit_cast<float>(uint32_t{bits[2]} << 16), 256);
  EXPECT_EQ(std::bit_cast<float>(uint32_t{bits[3]} << 16), 128);
}

}  // namespace
}  // namespace heddle::hip_tests
