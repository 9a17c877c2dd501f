// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The performance counters of the machine as text.
#pragma once

#include <hsa/hsa_ext_perf_counter.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

/// Lines for counters, by what the counters belong to in the first place: a type of association and the
/// handle of an agent or region, or 0 for the system. Counters that differ in a number between dots, such as
/// that of a compute unit, have one line.
using CounterLines = std::map<std::pair<hsa_ext_perf_counter_assoc_t, uint64_t>, std::vector<std::string>>;

/// Returns the lines of all counters. The runtime must be initialised.
CounterLines list_counters();

}  // namespace heddle::tools
