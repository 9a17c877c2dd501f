// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle bench` prints: the same report as a table for people and as JSON for programs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../argument.h"
#include "../statistics.h"
#include "compare.h"

namespace heddle::tools {

/// One agent and one of its ISAs.
struct CandidateName {
  std::string agent;
  std::string isa;
};

struct Timing {
  CandidateName name;
  std::optional<double> finalize_seconds;  ///< nullopt if the file was a code object
  double load_seconds = 0;
  uint32_t warm_up_launches = 0;
  bool steady = false;  ///< at the end of the warm-up
  std::vector<double> times;
  TimeSummary summary;
  double speed = 1;  ///< the median over the rounds of the time of the first timing by the time of this one
};

struct NotTimed {
  CandidateName name;
  std::string reason;
};

/// A result that is not that of the reference.
struct WrongResult {
  CandidateName name;
  size_t argument = 0;
  Difference difference;
};

struct BenchReport {
  std::string file;
  std::string kernel;
  Extent grid, group;
  std::optional<uint64_t> bytes, operations;  ///< of one launch, if they were told
  double assemble_seconds = 0;                ///< 0 if the file was not text
  bool restores = false;                      ///< buffers, before each launch
  bool compares = true;
  std::array<double, 3> load_at_start{}, load_at_end{};  ///< averages of 1, 5 and 15 minutes
  unsigned processors = 1;
  std::vector<Timing> timings;  ///< the first is what the speeds of the others refer to
  std::vector<NotTimed> not_timed;
  CandidateName reference;  ///< the first candidate that ran; the results of the others are compared with its
  size_t compared = 0;      ///< candidates whose results were compared, with the reference
  std::vector<WrongResult> wrong;
};

/// Returns the whole text, with a line feed at its end. It has colours if standard output shows them.
std::string format_table(const BenchReport& report);
/// Returns one JSON object with a line feed at its end. Times are in seconds. docs/benchmarking.md describes
/// the members.
std::string format_json(const BenchReport& report);

}  // namespace heddle::tools
