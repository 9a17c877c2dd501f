// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace heddle::tools {

double quantile(std::span<const double> ascending, double fraction) {
  assert(!ascending.empty() && fraction >= 0 && fraction <= 1);
  assert(std::is_sorted(ascending.begin(), ascending.end()));
  const double rank = fraction * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], rank - std::floor(rank));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

TimeSummary summarize_times(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times.size(), quantile(times, 0), quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9)};
}

double median_of_ratios(std::span<const double> numerators, std::span<const double> denominators) {
  assert(numerators.size() == denominators.size());
  std::vector<double> ratios;
  ratios.reserve(numerators.size());
  for (size_t i = 0; i < numerators.size(); ++i) {
    assert(denominators[i] > 0);
    ratios.push_back(numerators[i] / denominators[i]);
  }
  return median(std::move(ratios));
}

bool is_steady(std::span<const double> times, size_t window, double tolerance) {
  assert(window > 0);
  if (times.size() < 2 * window) return false;
  const auto last = times.last(window), before = times.last(2 * window).first(window);
  const double a = median({last.begin(), last.end()}), b = median({before.begin(), before.end()});
  return std::abs(a - b) <= tolerance * std::min(a, b);
}

}  // namespace heddle::tools
