// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Times of heddle and of what it is compared with, measured in turns, so that both meet the same state of
/// the machine and the same addresses.
class PairedTimes {
 public:
  /// Both in the same unit.
  void add(double own, double base) {
    own_.push_back(own);
    base_.push_back(base);
    ratios_.push_back(own / base);
  }
  /// Sets counters to the medians of the times, and of the ratio of each pair. Below 1, heddle is faster.
  void report(benchmark::State& state) {
    state.counters["own_ns"] = median(own_);
    state.counters["base_ns"] = median(base_);
    state.counters["ratio"] = median(ratios_);
  }

 private:
  static double median(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  std::vector<double> own_, base_, ratios_;
};
