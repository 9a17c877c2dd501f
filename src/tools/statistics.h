// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of measured times. They rest on ranks instead of sums, because a machine that does other work
// delays a few runs by any amount.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heddle::tools {

/// Returns the value below which the given fraction (0 to 1) of the ascending values lies. Between two values
/// it interpolates linearly, as NumPy does. There must be at least one value.
double quantile(std::span<const double> ascending, double fraction);
/// Returns the middle value, or the mean of the middle two. There must be at least one value.
double median(std::vector<double> values);

struct TimeSummary {
  size_t count = 0;
  double least = 0, p10 = 0, median = 0, p90 = 0;

  /// The range that holds the middle 80 % of the times, as a part of the median.
  double spread() const { return median > 0 ? (p90 - p10) / median : 0; }
};
/// There must be at least one time.
TimeSummary summarize_times(std::vector<double> times);

/// Returns the median of numerators[i] / denominators[i]. If both values of a pair were measured one directly
/// after the other, a change of the machine's speed between pairs does not affect the result. There must be
/// as many values of both kinds, and at least one pair; all denominators must be positive.
double median_of_ratios(std::span<const double> numerators, std::span<const double> denominators);

/// Reports whether times have stopped to change: whether the medians of the last `window` times and of the
/// `window` times before them differ by at most the part `tolerance` of the smaller one.
bool is_steady(std::span<const double> times, size_t window, double tolerance);

}  // namespace heddle::tools
