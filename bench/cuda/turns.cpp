// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/turns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace bench {

double microseconds_of(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

Turns take_turns(int rounds, const Action& own, const Action& base) {
  Turns turns;
  own();
  if (base) base();
  for (int round = 0; round < rounds; ++round) {
    if (!base) {
      turns.own.push_back(microseconds_of(own));
      continue;
    }
    const bool own_first = round % 2 == 0;
    double first = microseconds_of(own_first ? own : base), second = microseconds_of(own_first ? base : own);
    if (!own_first) std::swap(first, second);
    turns.own.push_back(first);
    turns.base.push_back(second);
  }
  return turns;
}

double speed(const Turns& turns) {
  if (turns.base.empty()) return 0;
  std::vector<double> quotients;
  quotients.reserve(turns.own.size());
  for (size_t i = 0; i < turns.own.size(); ++i) quotients.push_back(turns.base[i] / turns.own[i]);
  return median(quotients);
}

std::string row(const std::string& name, const Turns& turns, double count) {
  char numbers[100];
  if (turns.base.empty())
    std::snprintf(numbers, sizeof numbers, "%.3f | | |", median(turns.own) / count);
  else
    std::snprintf(numbers, sizeof numbers, "%.3f | %.3f | %.3f |", median(turns.own) / count,
                  median(turns.base) / count, speed(turns));
  return "| " + name + " | " + numbers + "\n";
}

}  // namespace bench
