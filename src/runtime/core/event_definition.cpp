// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/event_definition.h"

#include <algorithm>

#include "support/align.h"

namespace heddle::runtime {

namespace {

/// Size and alignment of a field; 0 if the type does not exist.
size_t size_of(hsa_ext_profile_event_metadata_type32_t type) {
  switch (type) {
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT:
      return 4;
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT64:
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_DOUBLE:
      return 8;
    case HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING:
      return sizeof(const char*);
    default:
      return 0;
  }
}

}  // namespace

EventDefinition::EventDefinition(hsa_ext_profile_event_producer_t producer_type, uint64_t id,
                                 std::string_view name, std::string_view description)
    : producer_type_(producer_type), id_(id), name_(name), description_(description) {}

bool EventDefinition::add_field(std::string_view name, hsa_ext_profile_event_metadata_type32_t type) {
  const size_t size = size_of(type);
  if (size == 0) return false;
  field_names_.emplace_back(name);
  types_.push_back(type);
  offsets_.push_back(align_up(end_, size));
  end_ = offsets_.back() + size;
  alignment_ = std::max(alignment_, size);
  return true;
}

size_t EventDefinition::metadata_size() const { return align_up(end_, alignment_); }

void EventDefinition::complete() {
  descriptions_.clear();
  for (size_t i = 0; i < types_.size(); ++i)
    descriptions_.push_back({field_names_[i].c_str(), field_names_[i].size(), types_[i]});
}

}  // namespace heddle::runtime
