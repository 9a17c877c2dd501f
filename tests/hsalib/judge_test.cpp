// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hsalib_exhaustive says of results that are right, and of those that are not.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exhaustive/unary.h"

namespace heddle::testing {
namespace {

const UnaryFunction& named(std::string_view name) {
  for (const UnaryFunction& function : unary_functions())
    if (function.name == name) return function;
  ADD_FAILURE() << name;
  return unary_functions().front();
}

/// The judgement on results for the arguments `first`, `first` + 1 and so on.
Tally judged(std::string_view name, float first, const std::vector<float>& results) {
  std::vector<uint32_t> bits(results.size());
  std::ranges::transform(results, bits.begin(), [](float result) { return std::bit_cast<uint32_t>(result); });
  Tally tally;
  judge(named(name), std::bit_cast<uint32_t>(first), 1, bits, tally);
  return tally;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Judge, AcceptsCorrectlyRoundedResults) {
  EXPECT_EQ(judged("exp", 1, {0x1.5bf0a8p+1f}).misrounded, 0u);
  EXPECT_EQ(judged("log", 0, {-infinity}).misrounded, 0u);
  EXPECT_EQ(judged("log", -1, {nan}).misrounded, 0u);
  EXPECT_EQ(judged("log", -1, {-nan}).misrounded, 0u);
  EXPECT_EQ(judged("floor", -1.5f, {-2}).misrounded, 0u);
}

TEST(Judge, CountsNeighboursWithTheirErrors) {
  const float e = 0x1.5bf0a8p+1f;  // which is e - 0.35 ulp
  const Tally above = judged("exp", 1, {std::nextafter(e, infinity)});
  EXPECT_EQ(above.misrounded, 1u);
  EXPECT_NEAR(above.worst, 0.654, 0.001);
  EXPECT_EQ(above.worst_argument, std::bit_cast<uint32_t>(1.0f));
  const Tally below = judged("exp", 1, {std::nextafter(e, 0.0f)});
  EXPECT_EQ(below.misrounded, 1u);
  EXPECT_NEAR(below.worst, 1.346, 0.001);
}

TEST(Judge, CountsResultsOfAnotherKind) {
  for (const float wrong : {infinity, -infinity, nan, -0x1.5bf0a8p+1f}) {
    const Tally tally = judged("exp", 1, {wrong});
    EXPECT_EQ(tally.misrounded, 1u) << wrong;
    EXPECT_TRUE(std::isinf(tally.worst) || wrong == infinity) << wrong << ' ' << tally.worst;
  }
  EXPECT_EQ(judged("log", -1, {0}).misrounded, 1u);
  EXPECT_EQ(judged("sin", -0.0f, {0}).misrounded, 1u);
  EXPECT_EQ(judged("floor", -1.5f, {-1}).misrounded, 1u);
}

/// After many wrong results, f64 alone says by how much they are wrong.
TEST(Judge, CountsManyWrongResults) {
  std::vector<float> results;
  float x = 1;
  for (int i = 0; i < 20000; ++i) {
    results.push_back(std::nextafter(static_cast<float>(std::exp(double{x})), infinity));
    x = std::nextafter(x, infinity);
  }
  const Tally tally = judged("exp", 1, results);
  EXPECT_EQ(tally.misrounded, results.size());
  EXPECT_LT(tally.asked, results.size());
  EXPECT_GT(tally.worst, 1.4);
  EXPECT_LE(tally.worst, 1.5);
}

/// Results that f64 cannot judge, because they lie next to the middle between two numbers, go to MPFR.
TEST(Judge, AsksMpfrAboutMiddles) {
  const Tally tally = judged("expm1", 0x1.000002p-25f, {0x1.000002p-25f});
  EXPECT_EQ(tally.misrounded, 0u);
  const Tally middle = judged("exp", 0x1p-24f, {1 + 0x1p-23f});
  EXPECT_EQ(middle.asked, 1u);
  EXPECT_EQ(middle.misrounded, 0u);
  EXPECT_EQ(judged("exp", 0x1p-24f, {1}).misrounded, 1u);
}

TEST(Judge, ComparesIntegers) {
  Tally tally;
  const uint64_t right[] = {3}, wrong[] = {2};
  judge(named("lround"), std::bit_cast<uint32_t>(2.5f), 1, right, tally);
  EXPECT_EQ(tally.misrounded, 0u);
  judge(named("lround"), std::bit_cast<uint32_t>(2.5f), 1, wrong, tally);
  EXPECT_EQ(tally.misrounded, 1u);
}

}  // namespace
}  // namespace heddle::testing
