// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the extension for profile events (Runtime 3.5).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hsa/hsa_ext_profile_event.h>

#include "driver/activity.h"
#include "runtime/core/activity_events.h"
#include "runtime/core/event_buffer.h"
#include "runtime/core/event_producers.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// Lives from the first hsa_init to the last hsa_shut_down. Thread safe. The functions have the names and the
/// errors of those of the manual.
class ProfileEvents final : public driver::ActivityObserver {
 public:
  explicit ProfileEvents(const Topology& topology);
  ~ProfileEvents();
  ProfileEvents(const ProfileEvents&) = delete;
  ProfileEvents& operator=(const ProfileEvents&) = delete;

  // Initialization. The caller has checked that the runtime is in the configuration state.
  hsa_status_t init_producer(EventProducerType type, uint64_t id);
  hsa_status_t init_all(EventProducerType types);
  hsa_status_t init();
  hsa_status_t shut_down();
  bool initialized() const;

  // Producers.
  hsa_status_t get_name(EventProducerType type, uint64_t id, const char** name) const;
  hsa_status_t get_description(EventProducerType type, uint64_t id, const char** description) const;
  hsa_status_t supports_events(EventProducerType type, uint64_t id, bool* result) const;
  hsa_status_t enable(EventProducerType type, uint64_t id, bool enabled);
  hsa_status_t enable_all(EventProducerType types, bool enabled);

  // Applications.
  hsa_status_t register_producer(const char* name, const char* description, uint64_t* id);
  hsa_status_t deregister_producer(uint64_t id);
  std::vector<uint64_t> application_producers() const;
  /// `definition` has the fields already.
  hsa_status_t register_event(uint64_t producer_id, std::shared_ptr<EventDefinition> definition);
  hsa_status_t deregister_event(uint64_t producer_id, uint64_t event_id);
  hsa_status_t trigger(uint64_t producer_id, uint64_t event_id, const void* metadata);

  // Retrieval.
  hsa_status_t set_buffer_size_hint(size_t size);
  hsa_status_t get_head(hsa_ext_profile_event_t* event);
  hsa_status_t destroy_head(const hsa_ext_profile_event_t& event);
  hsa_status_t get_fields(uint64_t producer_id, uint64_t event_id,
                          hsa_ext_profile_event_metadata_field_desc_t** fields, size_t* count) const;

  void observe(const driver::Activity& activity) noexcept override;

 private:
  struct Texts {
    std::string name, description;
  };
  void trigger_from_kernel(const driver::Activity& activity);
  using EventKey = std::pair<uint64_t, uint64_t>;  ///< producer, event

  static uint64_t normalized(EventProducerType type, uint64_t id);
  bool supports(EventProducerType type, uint64_t id) const;
  bool any_supports(EventProducerType type) const;
  const Texts* texts_of(EventProducerType type, uint64_t id) const;
  const EventDefinition* find_definition(uint64_t producer_id, uint64_t event_id) const;

  const Topology& topology_;
  const ActivityEvents activity_events_;
  EventBuffer buffer_;
  /// The texts of agents, regions and types.
  std::map<uint64_t, Texts> component_texts_;

  std::mutex lifecycle_mutex_;  ///< of init and shut_down, which change the subscription
  mutable std::mutex mutex_;    ///< guards the members below; observers take it
  bool initialized_ = false;
  EventProducers producers_;
  uint64_t last_application_ = 0;
  std::map<uint64_t, Texts> applications_;  ///< by id; 0 is HSAIL
  std::map<EventKey, std::shared_ptr<const EventDefinition>> application_events_;
};

}  // namespace heddle::runtime
