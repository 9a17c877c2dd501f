// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions of profile events: texts, and the layout of the metadata (Runtime 3.5.6.6, 3.5.6.7, 3.5.6.23).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hsa/hsa_ext_profile_event.h>

namespace heddle::runtime {

/// Describes an event of a producer, or of all producers of a type. It does not change once it is complete,
/// and is shared by the events that it describes.
class EventDefinition {
 public:
  EventDefinition(hsa_ext_profile_event_producer_t producer_type, uint64_t id, std::string_view name,
                  std::string_view description);
  EventDefinition(const EventDefinition&) = delete;
  EventDefinition& operator=(const EventDefinition&) = delete;

  /// Appends a field. Returns false if the type does not exist.
  bool add_field(std::string_view name, hsa_ext_profile_event_metadata_type32_t type);

  hsa_ext_profile_event_producer_t producer_type() const { return producer_type_; }
  uint64_t id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }

  size_t field_count() const { return types_.size(); }
  hsa_ext_profile_event_metadata_type32_t field_type(size_t field) const { return types_[field]; }
  /// Offset of a field in the metadata, in bytes.
  size_t field_offset(size_t field) const { return offsets_[field]; }
  /// Size of the C structure that has the fields as members, in bytes.
  size_t metadata_size() const;

  /// Completes the definition: makes the descriptions of the fields as the API returns them.
  void complete();
  /// To be called after complete(). The API passes them without const, but nobody may change them.
  hsa_ext_profile_event_metadata_field_desc_t* field_descriptions() const { return descriptions_.data(); }

 private:
  const hsa_ext_profile_event_producer_t producer_type_;
  const uint64_t id_;
  const std::string name_, description_;
  std::vector<std::string> field_names_;
  std::vector<hsa_ext_profile_event_metadata_type32_t> types_;
  std::vector<size_t> offsets_;
  size_t end_ = 0;        ///< of the last field
  size_t alignment_ = 1;  ///< of the structure
  mutable std::vector<hsa_ext_profile_event_metadata_field_desc_t> descriptions_;
};

}  // namespace heddle::runtime
