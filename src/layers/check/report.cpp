// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace heddle::check {
namespace {

bool is_rule(std::string_view id) {
  return std::ranges::any_of(all_rules(), [&](const Rule* rule) { return rule->id == id; });
}

}  // namespace

void write_line(std::string_view text) noexcept {
  // A failure to write a message cannot be reported anywhere.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string message(const Finding& finding, const char* function, const Site& called_at) {
  std::string out = fmt::format("heddle: check: {}: {}: {}: {} [{}]\n",
                                finding.rule->severity == Severity::error ? "error" : "warning",
                                finding.rule->id, function, finding.sentence, finding.rule->section);
  out += fmt::format("    called at {}\n", called_at.text());
  for (const Note& note : finding.notes) out += fmt::format("    {} at {}\n", note.what, note.site.text());
  return out;
}

void Reporter::configure() {
  const std::lock_guard lock(mutex_);
  const char* mode = secure_getenv("HEDDLE_CHECK");
  abort_ = mode != nullptr && std::string_view(mode) == "abort";
  excepted_.clear();
  const char* list = secure_getenv("HEDDLE_CHECK_EXCEPT");
  std::string_view rest = list != nullptr ? list : "";
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view id = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (is_rule(id))
      excepted_.emplace(id);
    else if (!id.empty())
      write_line(
          fmt::format("heddle: check: error: HEDDLE_CHECK_EXCEPT names '{:.60}', which is no rule\n", id));
  }
}

bool Reporter::is_shown(const Finding& finding, uint64_t place) {
  const std::lock_guard lock(mutex_);
  if (excepted_.contains(finding.rule->id)) return false;
  if (++count_[{finding.rule, place}] <= shown_per_place) return true;
  ++hidden_;
  return false;
}

void Reporter::report(const std::vector<Finding>& findings, const char* function, const Site& called_at) {
  for (const Finding& finding : findings) {
    // Leaks all are found in the same call; what tells them apart is where the objects were made.
    const Site& place =
        finding.rule == &rules::leak && !finding.notes.empty() ? finding.notes[0].site : called_at;
    if (!is_shown(finding, place.key())) continue;
    write_line(message(finding, function, called_at));
    if (abort_ && finding.rule->severity == Severity::error) std::abort();
  }
}

void Reporter::summarise() {
  const std::lock_guard lock(mutex_);
  if (hidden_ != 0)
    write_line(fmt::format("heddle: check: {} more findings of the same places and rules were not shown\n",
                           hidden_));
  hidden_ = 0;
}

}  // namespace heddle::check
