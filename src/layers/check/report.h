// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings, and how they reach the user: one message each on standard error.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layers/check/rules.h"
#include "layers/check/site.h"

namespace heddle::check {

/// A place that belongs to a finding, such as "made by hsa_signal_create at ...".
struct Note {
  std::string what;
  Site site;
};

struct Finding {
  const Rule* rule;
  std::string sentence;  ///< without the function and without a full stop
  std::vector<Note> notes;
};

/// Returns the text of a finding in a call of `function`: one line, and an indented one for each place.
std::string message(const Finding& finding, const char* function, const Site& called_at);

/// Prints findings. Several threads may use it at once.
class Reporter {
 public:
  /// Reads HEDDLE_CHECK and HEDDLE_CHECK_EXCEPT.
  void configure();
  /// Prints each finding unless its rule is excepted or the same place in the program has had
  /// `shown_per_place` findings of the rule before. Ends the process with abort() after an error if
  /// HEDDLE_CHECK says so. `called_at` is where the program called `function`.
  void report(const std::vector<Finding>& findings, const char* function, const Site& called_at);
  /// Says how many findings were not printed.
  void summarise();

  static constexpr unsigned shown_per_place = 3;

 private:
  bool is_shown(const Finding& finding, uint64_t place);

  std::mutex mutex_;
  std::map<std::pair<const Rule*, uint64_t>, uint64_t> count_;
  std::set<std::string, std::less<>> excepted_;
  uint64_t hidden_ = 0;
  bool abort_ = false;
};

/// Writes a line of the check layer to standard error, in one piece.
void write_line(std::string_view text) noexcept;

}  // namespace heddle::check
