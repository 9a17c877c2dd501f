// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/kernel_events.h"

#include <cstring>

namespace heddle::runtime {

namespace {

/// The kind of values that a field of this type takes.
uint32_t kind_of_field(hsa_ext_profile_event_metadata_type32_t type) {
  switch (type) {
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT:
      return HSAM_EVENT_VALUE_32;
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING:
      return HSAM_EVENT_VALUE_STRING;
    default:
      return HSAM_EVENT_VALUE_64;
  }
}

}  // namespace

std::optional<std::vector<std::byte>> kernel_metadata(const EventDefinition& definition,
                                                      const driver::Activity& activity) {
  const auto values = activity.event_values;
  if (values.size() != definition.field_count()) return std::nullopt;
  std::vector<std::byte> metadata(definition.metadata_size());
  for (size_t i = 0; i < values.size(); ++i) {
    hsam_event_value value = values[i];
    if (value.kind == HSAM_EVENT_VALUE_QUEUE_ID) value = {HSAM_EVENT_VALUE_64, 0, activity.queue_id};
    const uint32_t wanted = kind_of_field(definition.field_type(i));
    if (value.kind != wanted) return std::nullopt;
    // Numbers are little-endian in all that heddle runs on.
    std::memcpy(metadata.data() + definition.field_offset(i), &value.bits,
                wanted == HSAM_EVENT_VALUE_32 ? 4 : 8);
  }
  return metadata;
}

}  // namespace heddle::runtime
