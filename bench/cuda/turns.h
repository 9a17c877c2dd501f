// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measurement of two ways to do the same in turns, and rows of tables with the medians.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Does something once; the time of that is measured.
using Action = std::function<void()>;

struct Turns {
  std::vector<double> own,
      base;  ///< microseconds, by round; `base` is empty if there is nothing to compare with
};

double microseconds_of(const Action& action);
double median(std::vector<double> values);
double geometric_mean(const std::vector<double>& values);

/// Measures both in turns after a first time that does not count. `base` may be empty. Who begins alternates,
/// because the second finds the machine as the first has left it.
Turns take_turns(int rounds, const Action& own, const Action& base);

/// How much faster the own way is: the median of the quotients of the rounds. 0 if there is no other.
double speed(const Turns& turns);

/// A row of a table in Markdown: the name, both medians divided by `count`, and the speed.
std::string row(const std::string& name, const Turns& turns, double count);

inline constexpr char head[] =
    "| what | heddle us | CUDA us | speed |\n"
    "|---|---:|---:|---:|\n";

}  // namespace bench
