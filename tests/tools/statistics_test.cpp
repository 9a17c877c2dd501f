// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/statistics.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::tools {
namespace {

TEST(Statistics, QuantilesInterpolate) {
  const std::vector<double> values{10, 20, 30, 40, 50};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 14);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 46);
  EXPECT_EQ(quantile(values, 1), 50);
}

TEST(Statistics, OneValueIsEveryQuantile) {
  for (double fraction : {0.0, 0.3, 0.5, 1.0}) EXPECT_EQ(quantile(std::vector<double>{7}, fraction), 7);
}

TEST(Statistics, MedianOfAnyOrder) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5}), 5);
}

TEST(Statistics, SummaryIgnoresOrder) {
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(i);
  std::shuffle(times.begin(), times.end(), std::mt19937(1));
  const TimeSummary summary = summarize_times(times);
  EXPECT_EQ(summary.count, 101u);
  EXPECT_EQ(summary.least, 0);
  EXPECT_DOUBLE_EQ(summary.p10, 10);
  EXPECT_EQ(summary.median, 50);
  EXPECT_DOUBLE_EQ(summary.p90, 90);
  EXPECT_DOUBLE_EQ(summary.spread(), 1.6);
}

TEST(Statistics, AFewDelaysDoNotChangeTheSummary) {
  std::vector<double> times(100, 2.0);
  for (int i = 0; i < 9; ++i) times[10 * i] = 1e6;
  const TimeSummary summary = summarize_times(times);
  EXPECT_EQ(summary.median, 2);
  EXPECT_EQ(summary.p90, 2);
  EXPECT_EQ(summary.spread(), 0);
}

TEST(Statistics, RatiosArePaired) {
  // The machine becomes four times slower in the middle. Within each pair one takes twice as long as the
  // other.
  const std::vector<double> slow{2, 2, 2, 8, 8}, fast{1, 1, 1, 4, 4};
  EXPECT_EQ(median_of_ratios(slow, fast), 2);
  EXPECT_EQ(median_of_ratios(fast, slow), 0.5);
  // The ratio of the medians would be 8 / 1 here.
  const std::vector<double> one{2, 8, 8}, other{1, 1, 4};
  EXPECT_EQ(median_of_ratios(one, other), 2);
}

TEST(Statistics, SteadinessNeedsTwoWindows) {
  EXPECT_FALSE(is_steady(std::vector<double>{1, 1, 1, 1, 1}, 3, 0.1));
  EXPECT_TRUE(is_steady(std::vector<double>{1, 1, 1, 1, 1, 1}, 3, 0.1));
}

TEST(Statistics, SteadinessLooksAtTheEndOnly) {
  EXPECT_TRUE(is_steady(std::vector<double>{900, 500, 1, 1, 1, 1.05, 1.05, 1.05}, 3, 0.1));
  EXPECT_FALSE(is_steady(std::vector<double>{1, 1, 1, 1.2, 1.2, 1.2}, 3, 0.1));
  EXPECT_FALSE(is_steady(std::vector<double>{1.2, 1.2, 1.2, 1, 1, 1}, 3, 0.1));
  EXPECT_TRUE(is_steady(std::vector<double>{1, 77, 1, 1, 1, 99}, 3, 0.1));  // one disturbed launch in each
}

}  // namespace
}  // namespace heddle::tools
