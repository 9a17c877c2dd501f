// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of `heddle bench`, with launches whose times the tests make up.
#include "tools/bench/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tools/bench/isa_names.h"

namespace heddle::tools {
namespace {

/// Candidates that record the order in which they are launched.
class Candidates {
 public:
  void add(std::function<Result<double>(size_t launch)> time) {
    const char name = static_cast<char>('a' + launches_.size());
    launches_.emplace_back([this, name, time, count = size_t{0}]() mutable {
      order_ += name;
      return time(count++);
    });
  }
  void add(double seconds) {
    add([seconds](size_t) -> Result<double> { return seconds; });
  }
  std::vector<Series> measure(const Schedule& schedule) { return tools::measure(launches_, schedule); }
  const std::string& order() const { return order_; }

 private:
  std::vector<Launch> launches_;
  std::string order_;
};

TEST(Measure, EachRoundLaunchesAllInTurn) {
  Candidates candidates;
  for (double seconds : {1.0, 2.0, 3.0}) candidates.add(seconds);
  const auto series = candidates.measure({1, 0, 3, 0});
  EXPECT_EQ(candidates.order(), "abcabcabcabc");  // one to warm up, three rounds
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].times, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(series[2].times, (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(series[1].warm_up_launches, 1u);
}

TEST(Measure, WarmUpEndsWhenTimesAreSteady) {
  Candidates candidates;
  candidates.add([](size_t launch) -> Result<double> { return launch < 20 ? 1.0 / (1 + launch) : 0.01; });
  const auto series = candidates.measure({3, 1e9, 4, 0});
  EXPECT_TRUE(series[0].steady);
  EXPECT_GE(series[0].warm_up_launches, 25u);
  EXPECT_LE(series[0].warm_up_launches, 30u);
  EXPECT_EQ(series[0].times, std::vector<double>(4, 0.01));
}

TEST(Measure, WarmUpOfUnsteadyTimesEndsAfterItsTime) {
  Candidates candidates;
  candidates.add([](size_t launch) -> Result<double> { return std::pow(1.5, static_cast<double>(launch)); });
  const auto series = candidates.measure({3, 100, 2, 0});
  EXPECT_FALSE(series[0].steady);
  EXPECT_EQ(series[0].warm_up_launches, 10u);  // 2 * 1.5^10 - 2 is the first sum beyond 100
}

TEST(Measure, TheSlowestDecidesHowLongAllWarmUp) {
  Candidates candidates;
  candidates.add(1.0);
  candidates.add([](size_t launch) -> Result<double> { return launch < 15 ? 2.0 * (20 - launch) : 1.0; });
  const auto series = candidates.measure({0, 1e9, 1, 0});
  EXPECT_EQ(series[0].warm_up_launches, series[1].warm_up_launches);
  EXPECT_GE(series[0].warm_up_launches, 20u);
}

TEST(Measure, RoundsGoOnUntilEachHasItsTime) {
  Candidates candidates;
  candidates.add(0.5);
  candidates.add(0.125);
  const auto series = candidates.measure({0, 0, 3, 1.0});
  EXPECT_EQ(series[0].times.size(), 8u);  // the second needs 8 launches for a second
  EXPECT_EQ(series[1].times.size(), 8u);
}

TEST(Measure, TimesOfZeroEnd) {
  Candidates candidates;
  candidates.add(0.0);
  const auto series = candidates.measure({0, 1, 1, 1.0});
  EXPECT_EQ(series[0].times.size(), max_rounds);
}

TEST(Measure, AFailureEndsOneCandidateOnly) {
  Candidates candidates;
  candidates.add([](size_t launch) -> Result<double> {
    if (launch == 3) return Error{"it broke"};
    return 1.0;
  });
  candidates.add(1.0);
  const auto series = candidates.measure({2, 0, 4, 0});
  EXPECT_EQ(series[0].failure, "it broke");
  EXPECT_EQ(series[1].failure, "");
  EXPECT_EQ(series[1].times.size(), 4u);
  EXPECT_EQ(candidates.order(), "ababababbb");
}

TEST(Measure, NothingIsMeasuredIfAllFail) {
  Candidates candidates;
  candidates.add([](size_t) -> Result<double> { return Error{"no"}; });
  EXPECT_EQ(candidates.measure({5, 1, 5, 1})[0].failure, "no");
  EXPECT_EQ(candidates.order(), "a");
  EXPECT_TRUE(measure({}, {}).empty());
}

TEST(IsaNames, ArePartsBetweenColons) {
  constexpr const char* isa = "heddle:x86-64-v3:w16";
  for (const char* wanted : {isa, "x86-64-v3", "w16", "heddle", "x86-64-v3:w16", "heddle:x86-64-v3"})
    EXPECT_TRUE(names_isa(wanted, isa)) << wanted;
  for (const char* wanted : {"", "w1", "w", "x86-64", "heddle:w16", "X86-64-V3", ":", "w16:"})
    EXPECT_FALSE(names_isa(wanted, isa)) << wanted;
}

}  // namespace
}  // namespace heddle::tools
