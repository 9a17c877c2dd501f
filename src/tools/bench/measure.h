// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of a comparison of launch times. Launches are functions that return how long they took, so
// this file needs no runtime and no clock.
//
// In each round every candidate is launched once. When the machine becomes slower or faster, all candidates
// of a round are affected alike, and ratios within a round stay meaningful.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::tools {

struct Schedule {
  uint32_t warm_up_launches = 3;  ///< at least, for each candidate
  double warm_up_seconds = 1;     ///< of a candidate after which it need no longer become steady
  uint32_t rounds = 10;           ///< at least
  double seconds = 0.5;           ///< of each candidate in all rounds, at least
};

/// Launches a candidate once. Returns the seconds that it took.
using Launch = std::function<Result<double>()>;

/// What was measured of one candidate.
struct Series {
  uint32_t warm_up_launches = 0;
  bool steady = false;        ///< at the end of the warm-up
  std::vector<double> times;  ///< in seconds, one for each round
  std::string failure;        ///< why the candidate left; empty if it took part in all rounds
};

/// The warm-up and the measurement end after so many rounds, whatever the schedule asks for.
constexpr uint32_t max_rounds = 1000000;

/// Warms all candidates up, one launch of each in turn, and then measures rounds until the schedule is
/// fulfilled. A candidate whose launch fails is not launched again.
std::vector<Series> measure(const std::vector<Launch>& candidates, const Schedule& schedule);

}  // namespace heddle::tools
