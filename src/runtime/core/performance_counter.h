// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The performance counters of the machine (Runtime 3.4): what there is, what each belongs to, and how much an
// activity adds to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hsa/hsa_ext_perf_counter.h>

#include "driver/activity.h"
#include "driver/driver.h"
#include "runtime/core/hardware_counter.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// What a counter counts.
enum class CounterSource : uint8_t {
  dispatches,
  work_groups,
  waves,
  work_items,
  kernel_packets,
  and_packets,
  or_packets,
  other_packets,
  busy_time,
  utilization,
  unit_busy_time,
  unit_work_groups,
  waiting_packets,
  copies,
  copied_bytes,
  allocated_bytes,
  freed_bytes,
  hardware,
};

struct PerformanceCounter {
  CounterSource source;
  std::string name;
  std::string description;
  hsa_ext_perf_counter_type_t type = HSA_EXT_PERF_COUNTER_TYPE_UINT64;
  hsa_ext_perf_counter_value_type_t value_type = HSA_EXT_PERF_COUNTER_VALUE_TYPE_GENERIC;
  /// A state, such as the length of a queue, as opposed to something that is added up during a session.
  bool is_state = false;
  bool supports_async = true;
  const Agent* agent = nullptr;             ///< null if it belongs to none
  const Region* region = nullptr;           ///< null if it belongs to none
  uint32_t compute_unit = 0;                ///< unit_*: its number
  const HardwareEvent* hardware = nullptr;  ///< hardware
};

/// One thing that a counter belongs to, as hsa_ext_perf_counter_iterate_associations reports it.
struct CounterAssociation {
  hsa_ext_perf_counter_assoc_t type;
  uint64_t id;
};

/// Returns the counters of the machine, in the order of their indices.
std::vector<PerformanceCounter> list_counters(const Topology& topology);

std::vector<CounterAssociation> associations_of(const PerformanceCounter& counter,
                                                const driver::Client& client);

/// Returns the mask of the activities (driver/activity.h) that change the counter; 0 if it is not changed by
/// activities.
uint32_t activities_of(const PerformanceCounter& counter);

/// Returns what an activity adds to a counter that has been counting since `since` (system timestamp): a
/// number, or ticks of the part of the activity that lies behind `since`.
uint64_t amount_of(const PerformanceCounter& counter, const driver::Activity& activity, uint64_t since);

}  // namespace heddle::runtime
