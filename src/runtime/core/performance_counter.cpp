// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/performance_counter.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace heddle::runtime {

namespace {

using driver::Activity;
using driver::ActivityKind;
using Source = CounterSource;

// ---- what activities add ----

uint64_t bytes(const Activity& activity, uint64_t) { return activity.bytes; }
uint64_t groups(const Activity& activity, uint64_t) { return activity.work_groups; }

template <auto member>
uint64_t completed(const Activity& activity, uint64_t) {
  return activity.status == HSA_STATUS_SUCCESS ? activity.*member : 0;
}
uint64_t completion(const Activity& activity, uint64_t) {
  return activity.status == HSA_STATUS_SUCCESS ? 1 : 0;
}
template <uint32_t type>
uint64_t of_type(const Activity& activity, uint64_t) {
  return activity.packet_type == type ? 1 : 0;
}
uint64_t of_other_type(const Activity& activity, uint64_t) {
  constexpr uint32_t counted[] = {HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_PACKET_TYPE_BARRIER_AND,
                                  HSA_PACKET_TYPE_BARRIER_OR};
  return std::ranges::find(counted, activity.packet_type) == std::end(counted) ? 1 : 0;
}
uint64_t time(const Activity& activity, uint64_t since) {
  const uint64_t begin = std::max(activity.begin, since);
  return activity.end > begin ? activity.end - begin : 0;
}

struct Rule {
  Source source;
  ActivityKind kind;
  uint64_t (*amount)(const Activity& activity, uint64_t since);
};

constexpr Rule rules[] = {
    {Source::dispatches, ActivityKind::dispatch, completion},
    {Source::work_groups, ActivityKind::dispatch, completed<&Activity::work_groups>},
    {Source::waves, ActivityKind::dispatch, completed<&Activity::waves>},
    {Source::work_items, ActivityKind::dispatch, completed<&Activity::work_items>},
    {Source::kernel_packets, ActivityKind::packet, of_type<HSA_PACKET_TYPE_KERNEL_DISPATCH>},
    {Source::and_packets, ActivityKind::packet, of_type<HSA_PACKET_TYPE_BARRIER_AND>},
    {Source::or_packets, ActivityKind::packet, of_type<HSA_PACKET_TYPE_BARRIER_OR>},
    {Source::other_packets, ActivityKind::packet, of_other_type},
    {Source::busy_time, ActivityKind::compute_unit, time},
    {Source::utilization, ActivityKind::compute_unit, time},
    {Source::unit_busy_time, ActivityKind::compute_unit, time},
    {Source::unit_work_groups, ActivityKind::compute_unit, groups},
    {Source::copies, ActivityKind::copy, completion},
    {Source::copied_bytes, ActivityKind::copy, bytes},
    {Source::allocated_bytes, ActivityKind::allocation, bytes},
    {Source::freed_bytes, ActivityKind::release, bytes},
};

const Rule* rule_of(const PerformanceCounter& counter) {
  const auto* found = std::ranges::find(rules, counter.source, &Rule::source);
  return found == std::end(rules) ? nullptr : found;
}

bool is_of_unit(Source source) {
  return source == Source::unit_busy_time || source == Source::unit_work_groups;
}

// ---- what there is ----

/// A counter that every agent has which reports the activities of its rule.
struct Template {
  Source source;
  const char* name;
  const char* description;
  hsa_ext_perf_counter_type_t type = HSA_EXT_PERF_COUNTER_TYPE_UINT64;
  hsa_ext_perf_counter_value_type_t value_type = HSA_EXT_PERF_COUNTER_VALUE_TYPE_GENERIC;
};

constexpr Template of_agents[] = {
    {Source::dispatches, "kernel.dispatches", "kernel dispatches that have completed"},
    {Source::work_groups, "kernel.work_groups", "work-groups of completed dispatches"},
    {Source::waves, "kernel.waves", "wavefronts of completed dispatches"},
    {Source::work_items, "kernel.work_items", "work-items of completed dispatches"},
    {Source::kernel_packets, "packets.kernel_dispatch", "kernel dispatch packets taken from queues"},
    {Source::and_packets, "packets.barrier_and", "barrier-AND packets taken from queues"},
    {Source::or_packets, "packets.barrier_or", "barrier-OR packets taken from queues"},
    {Source::other_packets, "packets.other", "packets of other types taken from queues"},
    {Source::busy_time, "agent.busy_time", "time in kernels, summed over all compute units",
     HSA_EXT_PERF_COUNTER_TYPE_DOUBLE, HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS},
    {Source::utilization, "agent.utilization", "share of the session that compute units were in kernels",
     HSA_EXT_PERF_COUNTER_TYPE_FLOAT, HSA_EXT_PERF_COUNTER_VALUE_TYPE_PERCENTAGE},
};

constexpr Template of_compute_units[] = {
    {Source::unit_busy_time, "busy_time", "time of the compute unit in kernels",
     HSA_EXT_PERF_COUNTER_TYPE_DOUBLE, HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS},
    {Source::unit_work_groups, "work_groups", "work-groups that the compute unit has executed"},
};

constexpr Template of_regions[] = {
    {Source::allocated_bytes, "memory.allocated", "bytes allocated in the region",
     HSA_EXT_PERF_COUNTER_TYPE_UINT64, HSA_EXT_PERF_COUNTER_VALUE_TYPE_BYTES},
    {Source::freed_bytes, "memory.freed", "bytes of the region freed", HSA_EXT_PERF_COUNTER_TYPE_UINT64,
     HSA_EXT_PERF_COUNTER_VALUE_TYPE_BYTES},
};

constexpr Template of_system[] = {
    {Source::copies, "copies", "copies that the runtime has made"},
    {Source::copied_bytes, "copies.bytes", "bytes that the runtime has copied",
     HSA_EXT_PERF_COUNTER_TYPE_UINT64, HSA_EXT_PERF_COUNTER_VALUE_TYPE_BYTES},
};

PerformanceCounter make(const Template& from) {
  PerformanceCounter counter{.source = from.source, .name = from.name, .description = from.description};
  counter.type = from.type;
  counter.value_type = from.value_type;
  // A share needs a duration, which is known when the session has been stopped.
  counter.supports_async = from.source != Source::utilization;
  return counter;
}

/// Whether the agent reports what changes the counter. Agents of other vendors may report less.
bool is_reported(const Agent& agent, const PerformanceCounter& counter) {
  const uint32_t needed = activities_of(counter);
  return (agent.config().activities & needed) == needed;
}

void add_agent(const Agent& agent, std::vector<PerformanceCounter>& counters) {
  for (const Template& from : of_agents) {
    PerformanceCounter counter = make(from);
    counter.agent = &agent;
    if (is_reported(agent, counter)) counters.push_back(std::move(counter));
  }
  PerformanceCounter waiting{.source = Source::waiting_packets,
                             .name = "queues.waiting_packets",
                             .description = "packets in queues that have not been taken yet"};
  waiting.type = HSA_EXT_PERF_COUNTER_TYPE_UINT32;
  waiting.is_state = true;
  waiting.agent = &agent;
  counters.push_back(std::move(waiting));
  for (uint32_t unit = 0; unit < agent.config().compute_unit_count; ++unit)
    for (const Template& from : of_compute_units) {
      PerformanceCounter counter = make(from);
      counter.name = fmt::format("compute_unit.{}.{}", unit, from.name);
      counter.agent = &agent;
      counter.compute_unit = unit;
      if (is_reported(agent, counter)) counters.push_back(std::move(counter));
    }
}

/// Adds counters for each region that clients can allocate from, once if several agents have it.
void add_regions(const Topology& topology, std::vector<PerformanceCounter>& counters) {
  std::vector<const Region*> seen;
  for (size_t i = 0; i < topology.agent_count(); ++i)
    for (const Region* region : topology.agent_at(i).regions) {
      if (region->description().runtime_alloc_allowed == 0) continue;
      if (std::ranges::find(seen, region) != seen.end()) continue;
      seen.push_back(region);
      for (const Template& from : of_regions) {
        PerformanceCounter counter = make(from);
        counter.region = region;
        counters.push_back(std::move(counter));
      }
    }
}

void add_hardware(const Topology& topology, std::vector<PerformanceCounter>& counters) {
  for (const HardwareEvent& event : hardware_events()) {
    if (!is_countable(event)) continue;
    PerformanceCounter counter{
        .source = Source::hardware, .name = event.name, .description = event.description};
    if (event.is_time) {
      counter.type = HSA_EXT_PERF_COUNTER_TYPE_DOUBLE;
      counter.value_type = HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS;
    }
    counter.agent = topology.host();
    counter.hardware = &event;
    counters.push_back(std::move(counter));
  }
}

}  // namespace

std::vector<PerformanceCounter> list_counters(const Topology& topology) {
  std::vector<PerformanceCounter> counters;
  for (size_t i = 0; i < topology.agent_count(); ++i)
    if (topology.agent_at(i).driver->dispatches_kernels()) add_agent(topology.agent_at(i), counters);
  add_regions(topology, counters);
  for (const Template& from : of_system) counters.push_back(make(from));
  add_hardware(topology, counters);
  return counters;
}

std::vector<CounterAssociation> associations_of(const PerformanceCounter& counter,
                                                const driver::Client& client) {
  if (counter.region != nullptr)
    return {{HSA_EXT_PERF_COUNTER_ASSOC_MEMORY_NODE, counter.region->handle.handle}};
  if (counter.agent == nullptr) return {{HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0}};
  std::vector<CounterAssociation> found = {
      {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, counter.agent->handle.handle}};
  const Rule* rule = rule_of(counter);
  const bool counts_packets = rule != nullptr && rule->kind == ActivityKind::packet;
  if (counts_packets || counter.source == Source::waiting_packets)
    for (const uint64_t id : client.queue_ids(*counter.agent->driver))
      found.push_back({HSA_EXT_PERF_COUNTER_ASSOC_QUEUE, id});
  if (counter.hardware != nullptr && counter.hardware->of_caches && !counter.agent->caches.empty())
    found.push_back({HSA_EXT_PERF_COUNTER_ASSOC_CACHE_NODE, counter.agent->caches.back()->handle.handle});
  return found;
}

uint32_t activities_of(const PerformanceCounter& counter) {
  const Rule* rule = rule_of(counter);
  return rule == nullptr ? 0 : static_cast<uint32_t>(rule->kind);
}

uint64_t amount_of(const PerformanceCounter& counter, const Activity& activity, uint64_t since) {
  const Rule* rule = rule_of(counter);
  if (rule == nullptr || rule->kind != activity.kind) return 0;
  if (counter.agent != nullptr && counter.agent->driver != activity.agent) return 0;
  if (counter.region != nullptr && counter.region->driver != activity.region) return 0;
  if (is_of_unit(counter.source) && counter.compute_unit != activity.compute_unit) return 0;
  return rule->amount(activity, since);
}

}  // namespace heddle::runtime
