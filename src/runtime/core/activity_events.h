// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The profile events that are made of activities (driver/activity.h): those of agents, memory, signals and
// the API. docs/profile-events.md lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "driver/activity.h"
#include "runtime/core/event_buffer.h"
#include "runtime/core/event_definition.h"
#include "runtime/core/event_producers.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// A producer as the API identifies it.
struct EventProducer {
  EventProducerType type;
  uint64_t id;
};

/// The id of the runtime in its events. It is the handle of no object, and the id of no application.
inline constexpr uint64_t runtime_producer_id = uint64_t{tag_runtime} << 48;

/// Does not change once it is constructed.
class ActivityEvents {
 public:
  explicit ActivityEvents(const Topology& topology);

  /// Returns the mask of the activities that become events of producers of this type.
  static uint32_t activities_of(EventProducerType type);
  /// Returns whose event an activity is; nothing if it has no producer, such as a copy to memory of the
  /// operating system.
  std::optional<EventProducer> producer_of(const driver::Activity& activity) const;
  /// Appends the events of an activity. Throws std::bad_alloc.
  void produce(const driver::Activity& activity, uint64_t producer_id, EventBuffer& buffer) const;
  /// Returns the definition of an event of all producers of a type; null if there is none.
  const EventDefinition* find(EventProducerType type, uint64_t event_id) const;

 private:
  std::vector<std::shared_ptr<const EventDefinition>> definitions_;  ///< in the order of the table
  /// The handles of agents and regions of the driver.
  std::unordered_map<const void*, uint64_t> handles_;
};

}  // namespace heddle::runtime
