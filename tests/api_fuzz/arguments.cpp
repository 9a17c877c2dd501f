// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"

#include <algorithm>
#include <climits>
#include <string>
#include <utility>

namespace heddle::api_fuzz {

bool Call::may_be_null() { return reports_errors_ && !careful_ && random_.once_in(8); }

/// Attributes, options and the like: the numbers of the manual are small, and those of AMD begin at 0xA000.
uint64_t Call::enumerator() {
  if (function_has("group_wait")) return random_.once_in(8) ? 7 : HSA_SIGNAL_CONDITION_GTE;  // see fill()
  if (careful_) {
    struct Row {
      std::string_view name;
      uint64_t first, last;
    };
    static constexpr Row usual[] = {
        {"profile", HSA_PROFILE_FULL, HSA_PROFILE_FULL},
        {"machine_model", HSA_MACHINE_MODEL_LARGE, HSA_MACHINE_MODEL_LARGE},
        {"default_float_rounding_mode", HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
         HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR},
        {"access_permission", HSA_ACCESS_PERMISSION_RO, HSA_ACCESS_PERMISSION_RW},
        {"image_data_layout", HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR},
        {"executable_state", 0, 0},
        {"code_object_type", 0, 0},
        {"type", 0, 1},
        {"fp_type", 1, 4},
        {"flush_mode", 1, 2}};
    if (name_ == "producer_type") return uint64_t{1} << random_.below(6);
    for (const Row& row : usual)
      if (name_ == row.name) return row.first + random_.below(row.last - row.first + 1);
  }
  switch (random_.below(8)) {
    case 0:
      return 0xA000 + random_.below(0x120);
    case 1:
      return random_.below(uint64_t{UINT32_MAX} + 1);
    case 2:
      return uint64_t{1} << random_.below(32);
    default:
      return random_.below(24);
  }
}

/// The caller promises that an array or a range of memory has so many elements. Only functions that make or
/// describe memory, and do not access it, may be told anything.
bool Call::may_be_huge() const {
  if (!is({"size", "size_hint", "len", "threshold", "in_offset", "offset"})) return false;
  for (const std::string_view part :
       {"allocate", "reserve", "handle_create", "queue_create", "memory_register", "memory_deregister",
        "vmem", "svm", "lock", "ipc_memory", "buffer_size", "scratch", "export_dmabuf", "with_offset_size"})
    if (function_has(part)) return true;
  return false;
}

bool Call::is_count() const {
  for (const std::string_view part : {"num_", "n_", "count", "cnt", "len", "size", "pitch"})
    if (name_.find(part) != std::string_view::npos) return true;
  return false;
}

uint64_t Call::integer_argument() {
  if (name_.find("timeout") != std::string_view::npos) return random_.below(1000);
  if (length_ != 0 && is_count() && !random_.once_in(8)) return std::exchange(length_, 0);
  if (careful_ && is({"flags", "in_offset"})) return 0;
  if (careful_ && is({"counter_idx"})) return random_.below(3);
  if (careful_ && name_.find("pitch") != std::string_view::npos && random_.once_in(2)) return 0;
  if (careful_ && name_ == "features") return 1 + random_.below(3);
  if (careful_ && is({"alignment", "address"})) return name_ == "address" ? 0 : 4096;
  if (careful_ && may_be_huge()) return uint64_t{4096} << random_.below(4);
  if (careful_ && is({"extension"})) return random_.below(5);
  if (careful_ && is({"version_major", "version_minor"})) return name_ == "version_major";
  if (careful_ && is({"num_consumers", "num_signals", "num_agents", "num_dep_signals"}))
    return 1 + random_.below(3);
  if (name_ == "num_cu_mask_count") return 32 * random_.below(17);
  if (function_has("queue_create") && name_ == "size" && !random_.once_in(4)) return 64 << random_.below(4);
  if (may_be_huge() && random_.once_in(2)) return random_.integer();
  if (is({"num_consumers", "num_signals", "num_agents", "num_dep_signals", "signal_count", "n_dsts", "count",
          "desc_cnt", "attribute_count", "n_ctxs", "n_metadata_fields"}))
    return random_.below(elements + 1);
  if (is_count() && !function_has("queue_create")) return random_.below(513);
  if (careful_ && name_ == "event_id") return random_.below(3);
  if (careful_ && is({"producer_id", "app_producer_id"}) && !state_.ids.empty()) return state_.ids.newest(0);
  if (is({"producer_id", "event_id", "app_producer_id"}) && !state_.ids.empty() && random_.once_in(2))
    return state_.ids.pick(random_);
  if (is({"extension", "version_major", "version_minor", "counter_idx", "index"}) && !random_.once_in(8))
    return random_.below(8);
  return random_.integer();
}

int Call::descriptor_argument() {
  if (name_ == "num_agent") return static_cast<int>(random_.below(elements + 2)) - 1;
  if (is({"enable", "call_convention"})) return static_cast<int>(random_.integer());
  // Descriptors that functions close must not be those of somebody else.
  if (function_has("close")) return random_.once_in(2) ? -1 : INT_MAX;
  if (function_has("vmem") && !state_.descriptors.empty() && random_.once_in(2))
    return static_cast<int>(state_.descriptors.pick(random_));
  static constexpr int invalid[] = {-1, INT_MAX, INT_MIN, 99999};
  return random_.once_in(4) ? random_.one_of(invalid) : state_.file;
}

const char* Call::text() {
  static const std::string very_long(1000, 'x');
  static const char* const texts[] = {"&main",    "&shared", "&per_agent", "&constant",
                                      "&pointer", "&hidden", "&undefined", "heddle:hsail:w1",
                                      "",         "-O0",     "-g",         "an unknown option",
                                      "&",        "%",       "\xff\xfe",   very_long.c_str()};
  if (name_ == "options") return random_.once_in(4) ? random_.one_of(texts) : nullptr;
  if (may_be_null()) return nullptr;
  const char* chosen = random_.one_of(texts);
  length_ = std::strlen(chosen);
  // In a slot, because a length that the call gives may go beyond the end.
  auto* copy = reinterpret_cast<char*>(slot());
  std::memcpy(copy, chosen, length_ + 1);
  return copy;
}

/// Memory that the function may access.
void* Call::address() {
  if (is({"ptr", "va", "addr", "host_ptr", "mapped_ptr", "device_address"}) &&
      function_ != "hsa_amd_memory_fill")
    return any_address();
  if (function_has("variable_define")) return any_address();
  if (is({"code_object", "serialized_code_object"}) && (careful_ || random_.once_in(2))) {
    auto& object = random_.one_of(state_.code_objects);
    length_ = object.size();
    return const_cast<std::byte*>(object.data());
  }
  if (may_be_null()) return nullptr;
  std::byte* memory = slot();
  if (!asynchronous())
    for (size_t i = 0; i < 16; ++i) {
      const uint64_t word = random_.integer();
      std::memcpy(memory + i * sizeof word, &word, sizeof word);
    }
  // Attributes and structures are aligned; other memory need not be.
  return memory + (is({"dst", "src", "data"}) && random_.once_in(4) ? 1 + random_.below(63) : 0);
}

/// An address that the function only looks up: memory of the runtime, some that was freed, and anything else.
void* Call::any_address() {
  if (!state_.pointers.empty() && careful_)
    return reinterpret_cast<void*>(random_.once_in(2) ? state_.pointers.newest(0)
                                                      : state_.pointers.pick(random_));
  if (!state_.pointers.empty() && !random_.once_in(4))
    return reinterpret_cast<void*>(state_.pointers.pick(random_) +
                                   (random_.once_in(8) ? random_.below(8192) : 0));
  static constexpr uint64_t wild[] = {
      0, 1, 8, 4096, 0x7fffffffffff, 0xdeadbeefdeadbeef, UINT64_MAX, uint64_t{1} << 63};
  if (random_.once_in(2)) return reinterpret_cast<void*>(random_.one_of(wild));
  return slot() + (random_.once_in(4) ? random_.below(64) : 0);
}

hsa_queue_t* Call::queue() {
  if (!state_.queues.empty() && (!reports_errors_ || careful_ || random_.once_in(2)))
    return random_.one_of(state_.queues);
  if (!reports_errors_) {
    impossible_ = true;
    return nullptr;
  }
  // Another thread may have got a queue at the address of one that was destroyed.
  if (state_.alone && !state_.stale_queues.empty() && random_.once_in(2))
    return random_.one_of(state_.stale_queues);
  static constexpr uint64_t wild[] = {0, 8, 64, 0x7fffffffffc0, 0xdeadbeefdeadbeef};
  if (random_.once_in(2)) return reinterpret_cast<hsa_queue_t*>(random_.one_of(wild));
  return reinterpret_cast<hsa_queue_t*>(slot());
}

const uint32_t* Call::pointer(const uint32_t*) {
  return careful_ && name_ == "flags" ? nullptr : array<const uint32_t>();
}

BrigModule_t Call::pointer(BrigModule_t) {
  if (!state_.modules.empty() && (careful_ || random_.once_in(4)))
    return reinterpret_cast<BrigModule_t>(const_cast<uint64_t*>(random_.one_of(state_.modules).data()));
  return static_cast<BrigModule_t>(any_address());
}

// ---- structures ----

void Call::fill(hsa_dim3_t& value) {
  value = {static_cast<uint32_t>(random_.below(9)), static_cast<uint32_t>(random_.below(9)),
           static_cast<uint32_t>(random_.below(9))};
}
void Call::fill(hsa_pitched_ptr_t& value) { value = {slot(), random_.below(65), random_.below(1025)}; }
void Call::fill(hsa_location_t& value) { value = {handle<hsa_agent_t>(), slot()}; }
void Call::fill(hsa_ext_image_format_t& value) {
  if (careful_) {
    value = {static_cast<hsa_ext_image_channel_type32_t>(random_.below(16)),
             static_cast<hsa_ext_image_channel_order32_t>(random_.below(20))};
    if (random_.once_in(2))
      value = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
    return;
  }
  value = {static_cast<hsa_ext_image_channel_type32_t>(enumerator()),
           static_cast<hsa_ext_image_channel_order32_t>(enumerator())};
}
void Call::fill(hsa_ext_image_descriptor_t& value) {
  value.geometry = static_cast<hsa_ext_image_geometry_t>(random_.below(9));
  if (careful_) {
    // Only the sizes that the geometry has may be other than 0.
    const auto g = value.geometry;
    const auto one_of = [&](std::initializer_list<hsa_ext_image_geometry_t> list) {
      return std::find(list.begin(), list.end(), g) != list.end() ? 1 + random_.below(8) : 0;
    };
    value.width = 1 + random_.below(8);
    value.height = one_of({HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_GEOMETRY_3D, HSA_EXT_IMAGE_GEOMETRY_2DA,
                           HSA_EXT_IMAGE_GEOMETRY_2DDEPTH, HSA_EXT_IMAGE_GEOMETRY_2DADEPTH});
    value.depth = one_of({HSA_EXT_IMAGE_GEOMETRY_3D});
    value.array_size =
        one_of({HSA_EXT_IMAGE_GEOMETRY_1DA, HSA_EXT_IMAGE_GEOMETRY_2DA, HSA_EXT_IMAGE_GEOMETRY_2DADEPTH});
    return fill(value.format);
  }
  // Whoever creates an image has memory for it; others only ask.
  const auto size = [&] {
    return function_has("create") || random_.once_in(4) ? random_.below(9) : random_.integer();
  };
  value.width = size();
  value.height = size();
  value.depth = size();
  value.array_size = size();
  fill(value.format);
}
void Call::fill(hsa_ext_image_region_t& value) {
  fill(value.offset);
  fill(value.range);
}
void Call::fill(hsa_ext_sampler_descriptor_t& value) {
  value = {static_cast<hsa_ext_sampler_coordinate_mode32_t>(random_.below(4)),
           static_cast<hsa_ext_sampler_filter_mode32_t>(random_.below(4)),
           static_cast<hsa_ext_sampler_addressing_mode32_t>(random_.below(7))};
}
void Call::fill(hsa_ext_control_directives_t& value) {
  value = {};
  if (careful_) return;
  uint64_t words[sizeof value / 8];
  for (uint64_t& word : words) word = random_.integer();
  std::memcpy(&value, words, sizeof value);
}
void Call::fill(hsa_ext_profile_event_metadata_field_desc_t& value) {
  value = {"field", careful_ ? 5 : random_.below(8),
           static_cast<hsa_ext_profile_event_metadata_type32_t>(random_.below(14))};
  // Strings are pointers, which the function would follow.
  if (value.metadata_type == HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING) value.metadata_type = 0;
}
void Call::fill(hsa_amd_pointer_info_t& value) {
  value = {};
  value.size = random_.once_in(2) ? sizeof value : static_cast<uint32_t>(random_.below(sizeof value + 32));
}
void Call::fill(hsa_amd_memory_access_desc_t& value) {
  value = {static_cast<hsa_access_permission_t>(random_.below(careful_ ? 4 : 5)), handle<hsa_agent_t>()};
}
void Call::fill(hsa_amd_svm_attribute_pair_t& value) { value = {random_.below(300), random_.integer()}; }
void Call::fill(hsa_amd_ipc_memory_t& value) {
  if (careful_) {
    std::memcpy(&value, state_.shared.data(), sizeof value);
    return;
  }
  for (uint32_t& word : value.handle) word = static_cast<uint32_t>(random_.integer());
}
void Call::fill(hsa_amd_image_descriptor_t& value) {
  value.version = static_cast<uint32_t>(random_.below(3));
  value.deviceID = static_cast<uint32_t>(random_.next());
}

}  // namespace heddle::api_fuzz
