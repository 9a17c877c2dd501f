// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profile events that wait to be retrieved (Runtime 3.5.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <hsa/hsa_ext_profile_event.h>

#include "runtime/core/event_definition.h"

namespace heddle::runtime {

/// An event with a copy of its metadata and of the strings in it.
class CollectedEvent {
 public:
  /// `metadata` is null, or a structure as the definition describes it.
  CollectedEvent(std::shared_ptr<const EventDefinition> definition, uint64_t producer_id, uint64_t timestamp,
                 const void* metadata);
  CollectedEvent(const CollectedEvent&) = delete;
  CollectedEvent& operator=(const CollectedEvent&) = delete;

  /// The event as clients see it. Pointers in it live as long as this object.
  hsa_ext_profile_event_t view();
  /// The memory that the event occupies, in bytes.
  size_t size() const;

 private:
  void copy_strings();

  const std::shared_ptr<const EventDefinition> definition_;
  const uint64_t producer_id_;
  const uint64_t timestamp_;
  std::vector<uint64_t> metadata_;  ///< words, for the alignment
  std::vector<std::string> strings_;
};

/// A queue of events with a limit. Thread safe.
class EventBuffer {
 public:
  static constexpr size_t default_limit = size_t{16} << 20;

  /// Appends events, with no others between them, or drops them all if there is no room.
  void push(std::span<std::unique_ptr<CollectedEvent>> events);
  void push(std::unique_ptr<CollectedEvent> event) { push(std::span(&event, 1)); }
  /// Stores the oldest event. Returns false if there is none.
  bool head(hsa_ext_profile_event_t& event);
  /// Removes the oldest event if it is this one. Returns false otherwise.
  bool pop(const hsa_ext_profile_event_t& event);
  /// Sets the most bytes that all events may occupy; 0 stands for the default.
  void set_limit(size_t bytes);
  void clear();

 private:
  std::mutex mutex_;
  std::deque<std::unique_ptr<CollectedEvent>> events_;
  size_t size_ = 0;  ///< bytes
  size_t limit_ = default_limit;
  bool dropping_ = false;  ///< the last event was dropped
};

}  // namespace heddle::runtime
