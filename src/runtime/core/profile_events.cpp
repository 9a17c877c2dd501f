// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/profile_events.h"

#include <new>

#include <fmt/format.h>

#include "driver/driver.h"
#include "driver/log.h"
#include "runtime/core/kernel_events.h"

namespace heddle::runtime {

namespace {

constexpr auto not_initialized = HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED;
constexpr auto already_initialized = HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED;
constexpr auto cannot_use = HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS;
constexpr auto not_registered = HSA_EXT_STATUS_ERROR_EVENT_NOT_REGISTERED;
constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;

constexpr uint64_t hsail_producer = 0;
constexpr uint64_t signal_alignment = 64;  // of hsam_signal
/// A key of component_texts_ that is no handle.
constexpr uint64_t any_signal = 1;

std::string region_name(const Region& region) {
  constexpr const char* segments[] = {"global", "readonly", "private", "group", "kernarg"};
  const auto segment = static_cast<size_t>(region.description().segment);
  return fmt::format("region {}: {}", region.driver->index,
                     segment < std::size(segments) ? segments[segment] : "memory");
}

/// Whether clients can allocate from the region. Events tell of nothing else that happens to regions.
bool is_allocatable(const Region& region) { return region.description().runtime_alloc_allowed != 0; }

/// Reports whether an agent reports one of these activities.
bool any_agent_reports(const Topology& topology, uint32_t kinds) {
  for (size_t i = 0; i < topology.agent_count(); ++i)
    if ((topology.agent_at(i).config().activities & kinds) != 0) return true;
  return false;
}

}  // namespace

ProfileEvents::ProfileEvents(const Topology& topology) : topology_(topology), activity_events_(topology) {
  applications_[hsail_producer] = {"HSAIL", "Produces events from HSAIL kernels."};
  component_texts_[any_signal] = {"signal", "A signal: its creation, its destruction, and waits for it."};
  component_texts_[runtime_producer_id] = {"HSA runtime", "Calls of the functions of the API."};
  for (size_t i = 0; i < topology.agent_count(); ++i) {
    const Agent& agent = topology.agent_at(i);
    component_texts_[agent.handle.handle] = {agent.config().name,
                                             "An agent: its dispatches and the packets of its queues."};
    for (const Region* region : agent.regions)
      component_texts_[region->handle.handle] = {region_name(*region),
                                                 "A region: allocations in it and copies to it."};
  }
}

ProfileEvents::~ProfileEvents() { driver::Activities::unsubscribe(*this); }

// ---- producers ----

/// For some types the id of the producer does not matter.
uint64_t ProfileEvents::normalized(EventProducerType type, uint64_t id) {
  return type == HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API ? runtime_producer_id : id;
}

bool ProfileEvents::supports(EventProducerType type, uint64_t id) const {
  switch (type) {
    case HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT: {
      const Agent* agent = topology_.agent({id});
      return agent != nullptr && agent->config().activities != 0;
    }
    case HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY: {
      const Region* region = topology_.region({id});
      return region != nullptr && is_allocatable(*region);
    }
    case HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION:
      return id == hsail_producer ? any_agent_reports(topology_, HSAM_ACTIVITY_EVENT)
                                  : applications_.contains(id);
    case HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL:
      return driver::Client::is_signal(id);
    case HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API:
      return true;
    default:
      return false;
  }
}

bool ProfileEvents::any_supports(EventProducerType type) const {
  if (type == HSA_EXT_PROFILE_EVENT_PRODUCER_CACHE) return false;
  return type != HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT || any_agent_reports(topology_, ~uint32_t{0});
}

const ProfileEvents::Texts* ProfileEvents::texts_of(EventProducerType type, uint64_t id) const {
  if (type == HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION) {
    const auto found = applications_.find(id);
    return found == applications_.end() ? nullptr : &found->second;
  }
  if (!supports(type, id)) return nullptr;
  const uint64_t key = type == HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL ? any_signal : normalized(type, id);
  const auto found = component_texts_.find(key);
  return found == component_texts_.end() ? nullptr : &found->second;
}

hsa_status_t ProfileEvents::get_name(EventProducerType type, uint64_t id, const char** name) const {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  const Texts* texts = texts_of(type, id);
  if (texts == nullptr) return cannot_use;
  *name = texts->name.c_str();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::get_description(EventProducerType type, uint64_t id,
                                            const char** description) const {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  const Texts* texts = texts_of(type, id);
  if (texts == nullptr) return cannot_use;
  *description = texts->description.c_str();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::supports_events(EventProducerType type, uint64_t id, bool* result) const {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  *result = supports(type, id);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::enable(EventProducerType type, uint64_t id, bool enabled) {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  if (!is_single_type(type)) return enabled ? cannot_use : invalid_argument;
  if (enabled && (!supports(type, id) || !producers_.is_marked(type, normalized(type, id))))
    return cannot_use;
  producers_.enable(type, normalized(type, id), enabled);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::enable_all(EventProducerType types, bool enabled) {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  if (!is_type_mask(types)) return enabled ? cannot_use : invalid_argument;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for_each_type(types, [&](EventProducerType type) {
    if (enabled && !producers_.is_any_marked(type)) status = cannot_use;
    producers_.enable_all(type, enabled);
  });
  return status;
}

// ---- initialization ----

hsa_status_t ProfileEvents::init_producer(EventProducerType type, uint64_t id) {
  std::lock_guard lock(mutex_);
  if (initialized_) return already_initialized;
  if (!is_single_type(type) || !supports(type, id)) return cannot_use;
  producers_.mark(type, normalized(type, id));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::init_all(EventProducerType types) {
  std::lock_guard lock(mutex_);
  if (initialized_) return already_initialized;
  if (!is_type_mask(types)) return cannot_use;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for_each_type(types, [&](EventProducerType type) {
    if (any_supports(type))
      producers_.mark_all(type);
    else
      status = cannot_use;
  });
  return status;
}

hsa_status_t ProfileEvents::init() {
  std::lock_guard lifecycle(lifecycle_mutex_);
  uint32_t kinds = 0;
  {
    std::lock_guard lock(mutex_);
    if (initialized_) return already_initialized;
    for_each_type(HSA_EXT_PROFILE_EVENT_PRODUCER_ALL, [&](EventProducerType type) {
      if (producers_.is_any_marked(type)) kinds |= ActivityEvents::activities_of(type);
    });
    if (producers_.is_marked(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION, hsail_producer))
      kinds = kinds | driver::ActivityKind::event;
  }
  // Not under the lock that observe() takes: subscribing waits for observers.
  if (kinds != 0) driver::Activities::subscribe(*this, kinds);
  std::lock_guard lock(mutex_);
  initialized_ = true;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::shut_down() {
  std::lock_guard lifecycle(lifecycle_mutex_);
  {
    std::lock_guard lock(mutex_);
    if (!initialized_) return not_initialized;
    initialized_ = false;
  }
  driver::Activities::unsubscribe(*this);
  std::lock_guard lock(mutex_);
  producers_ = EventProducers();
  application_events_.clear();
  applications_.erase(applications_.upper_bound(hsail_producer), applications_.end());
  buffer_.clear();
  return HSA_STATUS_SUCCESS;
}

bool ProfileEvents::initialized() const {
  std::lock_guard lock(mutex_);
  return initialized_;
}

// ---- applications ----

hsa_status_t ProfileEvents::register_producer(const char* name, const char* description, uint64_t* id) {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  applications_.emplace(last_application_ + 1, Texts{name, description == nullptr ? "" : description});
  *id = ++last_application_;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::deregister_producer(uint64_t id) {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  if (id == hsail_producer || applications_.erase(id) == 0) return invalid_argument;
  application_events_.erase(application_events_.lower_bound({id, 0}),
                            application_events_.upper_bound({id, UINT64_MAX}));
  producers_.forget(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION, id);
  return HSA_STATUS_SUCCESS;
}

std::vector<uint64_t> ProfileEvents::application_producers() const {
  std::lock_guard lock(mutex_);
  std::vector<uint64_t> ids;
  for (const auto& [id, texts] : applications_)
    if (id != hsail_producer) ids.push_back(id);
  return ids;
}

hsa_status_t ProfileEvents::register_event(uint64_t producer_id,
                                           std::shared_ptr<EventDefinition> definition) {
  definition->complete();
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  if (!applications_.contains(producer_id)) return invalid_argument;
  const EventKey key{producer_id, definition->id()};
  // Events refer to their definition, which therefore must not change.
  return application_events_.emplace(key, std::move(definition)).second ? HSA_STATUS_SUCCESS
                                                                        : invalid_argument;
}

hsa_status_t ProfileEvents::deregister_event(uint64_t producer_id, uint64_t event_id) {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  return application_events_.erase({producer_id, event_id}) == 0 ? not_registered : HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::trigger(uint64_t producer_id, uint64_t event_id, const void* metadata) {
  const uint64_t now = driver::timestamp();
  std::shared_ptr<const EventDefinition> definition;
  {
    std::lock_guard lock(mutex_);
    if (!initialized_) return not_initialized;
    const auto found = application_events_.find({producer_id, event_id});
    if (found == application_events_.end()) return not_registered;
    if (!producers_.collects(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION, producer_id))
      return HSA_STATUS_SUCCESS;
    definition = found->second;
  }
  buffer_.push(std::make_unique<CollectedEvent>(std::move(definition), producer_id, now, metadata));
  return HSA_STATUS_SUCCESS;
}

// ---- retrieval ----

hsa_status_t ProfileEvents::set_buffer_size_hint(size_t size) {
  if (!initialized()) return not_initialized;
  buffer_.set_limit(size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ProfileEvents::get_head(hsa_ext_profile_event_t* event) {
  if (!initialized()) return not_initialized;
  return buffer_.head(*event) ? HSA_STATUS_SUCCESS : HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS;
}

hsa_status_t ProfileEvents::destroy_head(const hsa_ext_profile_event_t& event) {
  if (!initialized()) return not_initialized;
  return buffer_.pop(event) ? HSA_STATUS_SUCCESS : invalid_argument;
}

/// The API does not say of which type the producer is. The ids of the types differ: handles have tags,
/// signals are addresses, and applications are small numbers.
const EventDefinition* ProfileEvents::find_definition(uint64_t producer_id, uint64_t event_id) const {
  const auto registered = application_events_.find({producer_id, event_id});
  if (registered != application_events_.end()) return registered->second.get();
  if (applications_.contains(producer_id)) return nullptr;
  if (topology_.agent({producer_id}) != nullptr)
    return activity_events_.find(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT, event_id);
  if (topology_.region({producer_id}) != nullptr)
    return activity_events_.find(HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY, event_id);
  if (producer_id == runtime_producer_id)
    return activity_events_.find(HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API, event_id);
  // A signal may have been destroyed since it produced the event.
  const bool may_be_signal =
      producer_id > last_application_ && producer_id >> 48 == 0 && producer_id % signal_alignment == 0;
  return may_be_signal ? activity_events_.find(HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL, event_id) : nullptr;
}

hsa_status_t ProfileEvents::get_fields(uint64_t producer_id, uint64_t event_id,
                                       hsa_ext_profile_event_metadata_field_desc_t** fields,
                                       size_t* count) const {
  std::lock_guard lock(mutex_);
  if (!initialized_) return not_initialized;
  const EventDefinition* definition = find_definition(producer_id, event_id);
  if (definition == nullptr) return not_registered;
  *fields = definition->field_descriptions();
  *count = definition->field_count();
  return HSA_STATUS_SUCCESS;
}

/// An event of a kernel has no status to return: what is not registered or enabled is ignored, and what does
/// not fit its registration, for which the behaviour is undefined (Runtime 3.5.5), is dropped.
void ProfileEvents::trigger_from_kernel(const driver::Activity& activity) {
  std::shared_ptr<const EventDefinition> definition;
  {
    std::lock_guard lock(mutex_);
    if (!initialized_) return;
    const auto found = application_events_.find({hsail_producer, activity.event_id});
    if (found == application_events_.end()) return;
    if (!producers_.collects(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION, hsail_producer)) return;
    definition = found->second;
  }
  const auto metadata = kernel_metadata(*definition, activity);
  if (!metadata)
    return driver::log_warning(
        "the event {} of a kernel is dropped: its values are not those of the fields with which it was "
        "registered",
        activity.event_id);
  buffer_.push(std::make_unique<CollectedEvent>(std::move(definition), hsail_producer, activity.end,
                                                metadata->data()));
}

void ProfileEvents::observe(const driver::Activity& activity) noexcept try {
  if (activity.kind == driver::ActivityKind::event) return trigger_from_kernel(activity);
  const auto producer = activity_events_.producer_of(activity);
  if (!producer) return;
  {
    std::lock_guard lock(mutex_);
    const bool collected = producers_.collects(producer->type, producer->id);
    if (activity.kind == driver::ActivityKind::signal_destruction)
      producers_.forget(producer->type, producer->id);
    if (!initialized_ || !collected) return;
  }
  activity_events_.produce(activity, producer->id, buffer_);
} catch (const std::bad_alloc&) {
  driver::log_warning("a profile event is lost: no memory");
}

}  // namespace heddle::runtime
