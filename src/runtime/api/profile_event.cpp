// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profile events (Runtime 3.5). Calls of these functions are no events themselves, because retrieving events
// would never end.
#include <hsa/hsa_ext_profile_event.h>

#include <cstring>

#include "runtime/api/api.h"
#include "runtime/core/profile_events.h"

using namespace heddle::runtime;

namespace {

/// Runs `call(ProfileEvents&)` if the runtime is initialised.
template <typename Call>
hsa_status_t with_events(Call call) {
  return api::guard([&](Runtime& runtime) -> hsa_status_t { return call(runtime.events()); }, nullptr);
}

/// The same for the functions that are allowed in the configuration state only.
template <typename Call>
hsa_status_t in_configuration(Call call) {
  return api::guard_in_configuration(
      [&](Runtime& runtime) -> hsa_status_t {
        if (runtime.events().initialized()) return HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED;
        if (!runtime.configuring()) return HSA_STATUS_ERROR_INVALID_RUNTIME_STATE;
        return call(runtime.events());
      },
      nullptr);
}

/// A text of at most `length` bytes, which may end earlier; empty for null.
std::string_view text_of(const char* text, size_t length) {
  return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, length));
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_profile_event_init_producer(hsa_ext_profile_event_producer_t producer_type,
                                                 uint64_t producer_id) {
  return in_configuration(
      [&](ProfileEvents& events) { return events.init_producer(producer_type, producer_id); });
}

hsa_status_t hsa_ext_profile_event_init_all_of_producer_type(hsa_ext_profile_event_producer_t producer_type) {
  return in_configuration([&](ProfileEvents& events) { return events.init_all(producer_type); });
}

hsa_status_t hsa_ext_profile_event_init() {
  return in_configuration([](ProfileEvents& events) { return events.init(); });
}

hsa_status_t hsa_ext_profile_event_shut_down() {
  return with_events([](ProfileEvents& events) { return events.shut_down(); });
}

hsa_status_t hsa_ext_profile_event_register_application_event_producer(const char* name,
                                                                       const char* description,
                                                                       uint64_t* app_producer_id) {
  return with_events([&](ProfileEvents& events) {
    if (name == nullptr || app_producer_id == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.register_producer(name, description, app_producer_id);
  });
}

hsa_status_t hsa_ext_profile_event_deregister_application_event_producer(uint64_t app_producer_id) {
  return with_events([&](ProfileEvents& events) { return events.deregister_producer(app_producer_id); });
}

hsa_status_t hsa_ext_profile_event_iterate_application_event_producers(
    hsa_status_t (*callback)(uint64_t app_producer_id, void* data), void* data) {
  return with_events([&](const ProfileEvents& events) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(events.application_producers(), [&](uint64_t id) { return callback(id, data); });
  });
}

hsa_status_t hsa_ext_profile_event_producer_get_name(hsa_ext_profile_event_producer_t producer_type,
                                                     uint64_t producer_id, const char** name) {
  return with_events([&](const ProfileEvents& events) {
    if (name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.get_name(producer_type, producer_id, name);
  });
}

hsa_status_t hsa_ext_profile_event_producer_get_description(hsa_ext_profile_event_producer_t producer_type,
                                                            uint64_t producer_id, const char** description) {
  return with_events([&](const ProfileEvents& events) {
    if (description == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.get_description(producer_type, producer_id, description);
  });
}

hsa_status_t hsa_ext_profile_event_producer_supports_events(hsa_ext_profile_event_producer_t producer_type,
                                                            uint64_t producer_id, bool* result) {
  return with_events([&](const ProfileEvents& events) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.supports_events(producer_type, producer_id, result);
  });
}

hsa_status_t hsa_ext_profile_event_enable_for_producer(hsa_ext_profile_event_producer_t producer_type,
                                                       uint64_t producer_id) {
  return with_events([&](ProfileEvents& events) { return events.enable(producer_type, producer_id, true); });
}

hsa_status_t hsa_ext_profile_event_disable_for_producer(hsa_ext_profile_event_producer_t producer_type,
                                                        uint64_t producer_id) {
  return with_events([&](ProfileEvents& events) { return events.enable(producer_type, producer_id, false); });
}

hsa_status_t hsa_ext_profile_event_enable_all_for_producer_type(
    hsa_ext_profile_event_producer_t producer_type) {
  return with_events([&](ProfileEvents& events) { return events.enable_all(producer_type, true); });
}

hsa_status_t hsa_ext_profile_event_disable_all_for_producer_type(
    hsa_ext_profile_event_producer_t producer_type) {
  return with_events([&](ProfileEvents& events) { return events.enable_all(producer_type, false); });
}

hsa_status_t hsa_ext_profile_event_set_buffer_size_hint(size_t size_hint) {
  return with_events([&](ProfileEvents& events) { return events.set_buffer_size_hint(size_hint); });
}

hsa_status_t hsa_ext_profile_event_register_application_event(
    uint64_t app_producer_id, uint64_t event_id, const char* name, size_t name_length,
    const char* description, size_t description_length,
    hsa_ext_profile_event_metadata_field_desc_t* metadata_field_descriptions, size_t n_metadata_fields) {
  return with_events([&](ProfileEvents& events) {
    if (!events.initialized()) return HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED;
    if (metadata_field_descriptions == nullptr && n_metadata_fields != 0)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto definition = std::make_shared<EventDefinition>(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION, event_id,
                                                        text_of(name, name_length),
                                                        text_of(description, description_length));
    for (const auto& field : std::span(metadata_field_descriptions, n_metadata_fields))
      if (field.data_name == nullptr ||
          !definition->add_field(text_of(field.data_name, field.name_length), field.metadata_type))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.register_event(app_producer_id, std::move(definition));
  });
}

hsa_status_t hsa_ext_profile_event_deregister_application_event(uint64_t app_producer_id, uint64_t event_id) {
  return with_events(
      [&](ProfileEvents& events) { return events.deregister_event(app_producer_id, event_id); });
}

hsa_status_t hsa_ext_profile_event_trigger_application_event(uint64_t app_producer_id, uint64_t event_id,
                                                             void* metadata) {
  return with_events(
      [&](ProfileEvents& events) { return events.trigger(app_producer_id, event_id, metadata); });
}

hsa_status_t hsa_ext_profile_event_get_head_event(hsa_ext_profile_event_t* event) {
  return with_events([&](ProfileEvents& events) {
    return event == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : events.get_head(event);
  });
}

hsa_status_t hsa_ext_profile_event_destroy_head_event(hsa_ext_profile_event_t* event) {
  return with_events([&](ProfileEvents& events) {
    return event == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : events.destroy_head(*event);
  });
}

hsa_status_t hsa_ext_profile_event_get_metadata_field_descs(
    uint64_t producer_id, uint64_t event_id, hsa_ext_profile_event_metadata_field_desc_t** metadata_descs,
    size_t* n_descs) {
  return with_events([&](const ProfileEvents& events) {
    if (metadata_descs == nullptr || n_descs == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return events.get_fields(producer_id, event_id, metadata_descs, n_descs);
  });
}

}  // namespace heddle::runtime::functions
