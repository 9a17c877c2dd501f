// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/activity_events.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

namespace heddle::runtime {

namespace {

using driver::Activity;
using driver::ActivityKind;

// ---- fields ----

/// A field of the metadata, and what it is for an activity: the bits of a number, or the address of a string.
struct Field {
  const char* name;
  hsa_ext_profile_event_metadata_type_t type;
  uint64_t (*value)(const Activity& activity);
};

constexpr auto u32 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32;
constexpr auto u64 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64;
constexpr auto i64 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT64;
constexpr auto string = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING;

template <auto member>
uint64_t of(const Activity& activity) {
  return static_cast<uint64_t>(activity.*member);
}
template <uint64_t number>
uint64_t constant(const Activity&) {
  return number;
}
uint64_t function_of(const Activity& activity) { return reinterpret_cast<uintptr_t>(activity.function); }

constexpr Field queue = {"hsa.queueid", u64, of<&Activity::queue_id>};
constexpr Field packet = {"hsa.packetid", u64, of<&Activity::packet_id>};
constexpr Field kernel = {"kernel_object", u64, of<&Activity::kernel_object>};
constexpr Field groups = {"work_groups", u64, of<&Activity::work_groups>};
constexpr Field waves = {"waves", u64, of<&Activity::waves>};
constexpr Field work_items = {"work_items", u64, of<&Activity::work_items>};
constexpr Field unit = {"compute_unit", u32, of<&Activity::compute_unit>};
constexpr Field packet_type = {"packet_type", u32, of<&Activity::packet_type>};
constexpr Field status = {"status", u32, of<&Activity::status>};
constexpr Field address = {"address", u64, of<&Activity::address>};
constexpr Field source = {"source", u64, of<&Activity::source>};
constexpr Field bytes = {"bytes", u64, of<&Activity::bytes>};
constexpr Field value = {"value", i64, of<&Activity::value>};
constexpr Field function = {"function", string, function_of};
// Standard fields (Runtime 3.5.4) that name another event of the same producer.
template <uint64_t event>
constexpr Field started_by = {"hsa.started-by", u64, constant<event>};
template <uint64_t event>
constexpr Field ended_by = {"hsa.ended-by", u64, constant<event>};
template <uint64_t event>
constexpr Field parent = {"hsa.parent", u64, constant<event>};

// ---- events ----

enum class When : uint8_t { begin, end };

struct Event {
  EventProducerType producer;
  ActivityKind kind;
  When when;
  uint64_t id;
  const char* name;
  const char* description;
  std::array<Field, 7> fields;  ///< the last ones may have no name, and are none

  std::span<const Field> used_fields() const {
    size_t count = 0;
    while (count < fields.size() && fields[count].name != nullptr) ++count;
    return std::span(fields).first(count);
  }
};

constexpr auto agent = HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT;
constexpr auto memory = HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY;
constexpr auto signal = HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL;
constexpr auto api = HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API;

constexpr Event events[] = {
    {agent,
     ActivityKind::dispatch,
     When::begin,
     1,
     "dispatch.begin",
     "The first work-group of a dispatch begins.",
     {queue, packet, ended_by<2>, kernel}},
    {agent,
     ActivityKind::dispatch,
     When::end,
     2,
     "dispatch.end",
     "A dispatch has ended.",
     {queue, packet, started_by<1>, status, groups, waves, work_items}},
    {agent,
     ActivityKind::compute_unit,
     When::begin,
     3,
     "compute_unit.begin",
     "A compute unit begins to execute work-groups of a dispatch.",
     {queue, packet, parent<1>, ended_by<4>, unit}},
    {agent,
     ActivityKind::compute_unit,
     When::end,
     4,
     "compute_unit.end",
     "A compute unit has executed its share of a dispatch.",
     {queue, packet, parent<1>, started_by<3>, unit, groups}},
    {agent,
     ActivityKind::packet,
     When::end,
     5,
     "packet",
     "A packet was taken from its queue.",
     {queue, packet, packet_type}},
    {memory, ActivityKind::allocation, When::end, 1, "allocation", "Memory was allocated.", {address, bytes}},
    {memory, ActivityKind::release, When::end, 2, "release", "Memory was freed.", {address, bytes}},
    {memory,
     ActivityKind::copy,
     When::begin,
     3,
     "copy.begin",
     "A copy to the region begins.",
     {ended_by<4>, address, source}},
    {memory,
     ActivityKind::copy,
     When::end,
     4,
     "copy.end",
     "A copy to the region has ended.",
     {started_by<3>, address, source, bytes, status}},
    {signal, ActivityKind::signal_creation, When::end, 1, "creation", "The signal was created.", {value}},
    {signal, ActivityKind::signal_destruction, When::end, 2, "destruction", "The signal was destroyed.", {}},
    {signal,
     ActivityKind::signal_wait,
     When::begin,
     3,
     "wait.begin",
     "A thread begins to wait.",
     {ended_by<4>}},
    {signal,
     ActivityKind::signal_wait,
     When::end,
     4,
     "wait.end",
     "A thread has seen this value.",
     {started_by<3>, value}},
    {api,
     ActivityKind::api_call,
     When::begin,
     1,
     "call.begin",
     "A function is called.",
     {ended_by<2>, function}},
    {api,
     ActivityKind::api_call,
     When::end,
     2,
     "call.end",
     "A function returns.",
     {started_by<1>, function, status}},
};

std::shared_ptr<const EventDefinition> define(const Event& event) {
  auto definition =
      std::make_shared<EventDefinition>(event.producer, event.id, event.name, event.description);
  for (const Field& field : event.used_fields())
    (void)definition->add_field(field.name, static_cast<uint32_t>(field.type));
  definition->complete();
  return definition;
}

/// Writes the fields as the members of a C structure. Numbers are little-endian in all that heddle runs on,
/// so that the first bytes of a value are its 32-bit form.
void write_metadata(const Event& event, const EventDefinition& definition, const Activity& activity,
                    std::byte* metadata) {
  size_t i = 0;
  for (const Field& field : event.used_fields()) {
    const uint64_t bits = field.value(activity);
    std::memcpy(metadata + definition.field_offset(i++), &bits, field.type == u32 ? 4 : 8);
  }
}

}  // namespace

ActivityEvents::ActivityEvents(const Topology& topology) {
  for (const Event& event : events) definitions_.push_back(define(event));
  for (size_t i = 0; i < topology.agent_count(); ++i) {
    const Agent& known = topology.agent_at(i);
    handles_.emplace(known.driver, known.handle.handle);
    for (const Region* region : known.regions) handles_.emplace(region->driver, region->handle.handle);
  }
}

uint32_t ActivityEvents::activities_of(EventProducerType type) {
  uint32_t kinds = 0;
  for (const Event& event : events)
    if (event.producer == type) kinds = kinds | event.kind;
  return kinds;
}

std::optional<EventProducer> ActivityEvents::producer_of(const Activity& activity) const {
  const auto of_object = [&](EventProducerType type, const void* object) -> std::optional<EventProducer> {
    const auto found = handles_.find(object);
    if (found == handles_.end()) return std::nullopt;
    return EventProducer{type, found->second};
  };
  switch (activity.kind) {
    case ActivityKind::packet:
    case ActivityKind::dispatch:
    case ActivityKind::compute_unit:
      return of_object(agent, activity.agent);
    case ActivityKind::copy:
    case ActivityKind::allocation:
    case ActivityKind::release:
      return of_object(memory, activity.region);
    case ActivityKind::signal_creation:
    case ActivityKind::signal_destruction:
    case ActivityKind::signal_wait:
      return EventProducer{signal, activity.signal};
    case ActivityKind::api_call:
      return EventProducer{api, runtime_producer_id};
    case ActivityKind::barrier:
    case ActivityKind::event:  // an application has defined it (kernel_events.h)
    case ActivityKind::queue_creation:
    case ActivityKind::queue_failure:
    case ActivityKind::queue_destruction:
    case ActivityKind::kernel_loading:
    case ActivityKind::doorbell:
      return std::nullopt;
  }
  return std::nullopt;
}

void ActivityEvents::produce(const Activity& activity, uint64_t producer_id, EventBuffer& buffer) const {
  alignas(8) std::byte metadata[8 * std::tuple_size_v<decltype(Event::fields)>] = {};
  std::array<std::unique_ptr<CollectedEvent>, 2> made;  // an activity has one event, or a begin and an end
  size_t count = 0;
  for (size_t i = 0; i < std::size(events); ++i) {
    if (events[i].kind != activity.kind) continue;
    assert(count < made.size());
    write_metadata(events[i], *definitions_[i], activity, metadata);
    const uint64_t when = events[i].when == When::begin ? activity.begin : activity.end;
    made[count++] = std::make_unique<CollectedEvent>(definitions_[i], producer_id, when, metadata);
  }
  buffer.push(std::span(made).first(count));
}

const EventDefinition* ActivityEvents::find(EventProducerType type, uint64_t event_id) const {
  for (size_t i = 0; i < std::size(events); ++i)
    if (events[i].producer == type && events[i].id == event_id) return definitions_[i].get();
  return nullptr;
}

}  // namespace heddle::runtime
