// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profile events as values, for tests.
#pragma once

#include <hsa/hsa_ext_profile_event.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fixture.h"

namespace heddle::runtime::test {

using FieldDescription = hsa_ext_profile_event_metadata_field_desc_t;

/// A copy of an event with its metadata by name: numbers as their bits, zero-extended.
struct ProfileEvent {
  hsa_ext_profile_event_producer32_t type = 0;
  uint64_t producer = 0, id = 0, timestamp = 0;
  std::string name, description;
  bool has_metadata = false;
  std::map<std::string, uint64_t> numbers;
  std::map<std::string, std::string> texts;
};

inline bool is_short(uint32_t type) {
  return type == HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32 ||
         type == HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32 ||
         type == HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT;
}

/// Reads the metadata as the C structure that the field descriptions determine.
inline void read_metadata(const hsa_ext_profile_event_t& event, ProfileEvent& to) {
  FieldDescription* fields = nullptr;
  size_t count = 0;
  EXPECT_SUCCESS(
      hsa_ext_profile_event_get_metadata_field_descs(event.producer_id, event.event_id, &fields, &count));
  size_t offset = 0, alignment = 1;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(std::strlen(fields[i].data_name), fields[i].name_length);
    const size_t size = is_short(fields[i].metadata_type) ? 4 : 8;
    offset = (offset + size - 1) / size * size;
    alignment = std::max(alignment, size);
    if (event.metadata == nullptr) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(event.metadata) + offset, size);
    offset += size;
    if (fields[i].metadata_type == HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING)
      to.texts[fields[i].data_name] = bits == 0 ? "(null)" : reinterpret_cast<const char*>(bits);
    else
      to.numbers[fields[i].data_name] = bits;
  }
  to.has_metadata = event.metadata != nullptr;
  if (to.has_metadata)
    EXPECT_EQ(event.metadata_size, (offset + alignment - 1) / alignment * alignment);
  else
    EXPECT_EQ(event.metadata_size, 0u);
}

/// Takes the oldest event; nothing if there is none.
inline std::optional<ProfileEvent> take_event() {
  hsa_ext_profile_event_t event{};
  const hsa_status_t status = hsa_ext_profile_event_get_head_event(&event);
  if (status == HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS) return std::nullopt;
  EXPECT_SUCCESS(status);
  ProfileEvent taken;
  taken.type = event.producer_type;
  taken.producer = event.producer_id;
  taken.id = event.event_id;
  taken.timestamp = event.timestamp;
  taken.name = event.name;
  taken.description = event.description;
  EXPECT_EQ(taken.name.size(), event.name_length);
  EXPECT_EQ(taken.description.size(), event.description_length);
  read_metadata(event, taken);
  EXPECT_SUCCESS(hsa_ext_profile_event_destroy_head_event(&event));
  return taken;
}

inline std::vector<ProfileEvent> take_events() {
  std::vector<ProfileEvent> taken;
  while (auto event = take_event()) taken.push_back(std::move(*event));
  return taken;
}

/// Returns those of the events that have this name.
inline std::vector<ProfileEvent> named(const std::vector<ProfileEvent>& events, const std::string& name) {
  std::vector<ProfileEvent> found;
  for (const ProfileEvent& event : events)
    if (event.name == name) found.push_back(event);
  return found;
}

}  // namespace heddle::runtime::test
