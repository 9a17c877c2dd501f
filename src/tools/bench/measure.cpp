// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <utility>

#include "../statistics.h"

namespace heddle::tools {
namespace {

// Ten launches decide whether times are steady. Medians of five ignore two disturbed launches.
constexpr size_t window = 5;
constexpr double tolerance = 0.05;

/// What a candidate has done in one phase.
struct Record {
  std::vector<double> times;
  double total = 0;
};

/// Launches every candidate that has not failed once.
void one_round(const std::vector<Launch>& candidates, std::vector<Series>& series,
               std::vector<Record>& records) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!series[i].failure.empty()) continue;
    auto seconds = candidates[i]();
    if (!seconds) {
      series[i].failure = seconds.error().message;
      continue;
    }
    records[i].times.push_back(*seconds);
    records[i].total += *seconds;
  }
}

/// Does rounds until every candidate either has failed or is done.
template <typename Done>
std::vector<Record> rounds_until(const std::vector<Launch>& candidates, std::vector<Series>& series,
                                 Done done) {
  std::vector<Record> records(candidates.size());
  auto all_done = [&] {
    for (size_t i = 0; i < series.size(); ++i) {
      if (series[i].failure.empty() && !done(records[i])) return false;
    }
    return true;
  };
  for (uint32_t i = 0; i < max_rounds && !all_done(); ++i) one_round(candidates, series, records);
  return records;
}

}  // namespace

std::vector<Series> measure(const std::vector<Launch>& candidates, const Schedule& schedule) {
  std::vector<Series> series(candidates.size());
  const auto warm_up = rounds_until(candidates, series, [&](const Record& record) {
    return record.times.size() >= schedule.warm_up_launches &&
           (record.total >= schedule.warm_up_seconds || is_steady(record.times, window, tolerance));
  });
  for (size_t i = 0; i < series.size(); ++i) {
    series[i].warm_up_launches = static_cast<uint32_t>(warm_up[i].times.size());
    series[i].steady = is_steady(warm_up[i].times, window, tolerance);
  }
  auto measured = rounds_until(candidates, series, [&](const Record& record) {
    return record.times.size() >= schedule.rounds && record.total >= schedule.seconds;
  });
  for (size_t i = 0; i < series.size(); ++i) series[i].times = std::move(measured[i].times);
  return series;
}

}  // namespace heddle::tools
