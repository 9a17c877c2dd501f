// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the extension for profile events (Runtime 3.5): the configuration state, producers,
// filters, events of applications, memory, signals and the API, and every error. Events of agents are in
// observed_kernels_test.cpp.
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ext_perf_counter.h>

#include <algorithm>
#include <set>
#include <thread>

#include "events.h"

namespace heddle::runtime::test {
namespace {

constexpr auto agent_type = HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT;
constexpr auto memory_type = HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY;
constexpr auto cache_type = HSA_EXT_PROFILE_EVENT_PRODUCER_CACHE;
constexpr auto application_type = HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION;
constexpr auto signal_type = HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL;
constexpr auto api_type = HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API;
constexpr auto all_types = HSA_EXT_PROFILE_EVENT_PRODUCER_ALL;
const auto no_type = static_cast<hsa_ext_profile_event_producer_t>(64);

constexpr auto not_initialized = HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED;
constexpr auto already_initialized = HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED;
constexpr auto cannot_use = HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS;
constexpr auto not_registered = HSA_EXT_STATUS_ERROR_EVENT_NOT_REGISTERED;
constexpr auto out_of_events = HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS;
constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;
constexpr auto wrong_state = HSA_STATUS_ERROR_INVALID_RUNTIME_STATE;

hsa_status_t mark_all(hsa_ext_profile_event_producer_t types) {
  return hsa_ext_profile_event_init_all_of_producer_type(types);
}

class ProfileEvents : public Runtime {
 protected:
  /// Marks the producers of these types and initializes the events.
  void begin(uint32_t types) {
    ASSERT_SUCCESS(mark_all(static_cast<hsa_ext_profile_event_producer_t>(types)));
    ASSERT_SUCCESS(hsa_ext_profile_event_init());
  }
  static uint64_t application(const char* name = "application", const char* description = "a test") {
    uint64_t id = 0;
    EXPECT_SUCCESS(hsa_ext_profile_event_register_application_event_producer(name, description, &id));
    return id;
  }
  static hsa_status_t define(uint64_t producer, uint64_t event, std::vector<FieldDescription> fields = {}) {
    return hsa_ext_profile_event_register_application_event(producer, event, "event", 5, "description", 11,
                                                            fields.data(), fields.size());
  }
  static hsa_status_t trigger(uint64_t producer, uint64_t event, void* metadata = nullptr) {
    return hsa_ext_profile_event_trigger_application_event(producer, event, metadata);
  }
};

// ---- the configuration state ----

TEST_F(ProfileEvents, QueriesKeepTheConfigurationState) {
  uint64_t buffer[64];
  bool flag;
  uint16_t minor, mask;
  const char* text;
  hsa_isa_t isa = agent_info<hsa_isa_t>(kernel_agent_, HSA_AGENT_INFO_ISA);
  std::vector<hsa_isa_t> isas;
  std::vector<hsa_cache_t> caches;
  std::vector<hsa_wavefront_t> waves;
  hsa_round_method_t method;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, buffer));
  EXPECT_SUCCESS(hsa_status_string(HSA_STATUS_SUCCESS, &text));
  EXPECT_SUCCESS(hsa_extension_get_name(HSA_EXTENSION_PROFILE_EVENTS, &text));
  EXPECT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_PROFILE_EVENTS, 1, 0, &flag));
  EXPECT_SUCCESS(hsa_system_major_extension_supported(HSA_EXTENSION_PROFILE_EVENTS, 1, &minor, &flag));
  EXPECT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_PROFILE_EVENTS, 1, 0, buffer));
  EXPECT_SUCCESS(
      hsa_system_get_major_extension_table(HSA_EXTENSION_PROFILE_EVENTS, 1, sizeof buffer, buffer));
  EXPECT_SUCCESS(hsa_agent_get_exception_policies(kernel_agent_, HSA_PROFILE_FULL, &mask));
  EXPECT_SUCCESS(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, kernel_agent_, 1, 0, &flag));
  EXPECT_SUCCESS(hsa_agent_major_extension_supported(HSA_EXTENSION_IMAGES, kernel_agent_, 1, &minor, &flag));
  EXPECT_SUCCESS(hsa_agent_iterate_caches(host_, collect<hsa_cache_t>, &caches));
  for (hsa_cache_t cache : caches) EXPECT_SUCCESS(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, buffer));
  EXPECT_SUCCESS(hsa_region_get_info(regions(host_)[0], HSA_REGION_INFO_SIZE, buffer));
  EXPECT_SUCCESS(hsa_isa_from_name("heddle:hsail:w1", &isa));
  EXPECT_SUCCESS(hsa_agent_iterate_isas(kernel_agent_, collect<hsa_isa_t>, &isas));
  EXPECT_SUCCESS(hsa_isa_get_info(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, 0, buffer));
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, buffer));
  EXPECT_SUCCESS(hsa_isa_get_exception_policies(isa, HSA_PROFILE_FULL, &mask));
  EXPECT_SUCCESS(hsa_isa_get_round_method(isa, HSA_FP_TYPE_32, HSA_FLUSH_MODE_FTZ, &method));
  EXPECT_SUCCESS(hsa_isa_iterate_wavefronts(isa, collect<hsa_wavefront_t>, &waves));
  EXPECT_SUCCESS(hsa_wavefront_get_info(waves.at(0), HSA_WAVEFRONT_INFO_SIZE, buffer));
  EXPECT_SUCCESS(hsa_isa_compatible(isa, isa, &flag));
  uint32_t capability, count;
  const hsa_ext_image_format_t format{HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R};
  EXPECT_SUCCESS(
      hsa_ext_image_get_capability(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_1D, &format, &capability));
  EXPECT_SUCCESS(hsa_ext_image_get_capability_with_layout(kernel_agent_, HSA_EXT_IMAGE_GEOMETRY_1D, &format,
                                                          HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, &capability));
  const hsa_ext_image_descriptor_t image{HSA_EXT_IMAGE_GEOMETRY_1D, 16, 0, 0, 0, format};
  hsa_ext_image_data_info_t info;
  EXPECT_SUCCESS(hsa_ext_image_data_get_info(kernel_agent_, &image, HSA_ACCESS_PERMISSION_RO, &info));
  EXPECT_SUCCESS(hsa_ext_image_data_get_info_with_layout(&image, HSA_ACCESS_PERMISSION_RO,
                                                         HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 0, 0, &info));
  EXPECT_SUCCESS(hsa_ext_perf_counter_get_num(&count));
  EXPECT_SUCCESS(hsa_ext_perf_counter_get_info(0, HSA_EXT_PERF_COUNTER_INFO_TYPE, buffer));
  const auto ignore = [](hsa_ext_perf_counter_assoc_t, uint64_t, void*) { return HSA_STATUS_SUCCESS; };
  EXPECT_SUCCESS(hsa_ext_perf_counter_iterate_associations(0, ignore, nullptr));
  EXPECT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(hsa_ext_profile_event_init_producer(agent_type, kernel_agent_.handle));
  EXPECT_SUCCESS(mark_all(signal_type));
  EXPECT_SUCCESS(hsa_ext_profile_event_init());
  EXPECT_SUCCESS(hsa_shut_down());
}

/// Calls a function on a runtime that has just been initialised, and expects that no events can be
/// initialised any more.
template <typename Call>
void expect_end_of_configuration(const char* what, Call call) {
  ASSERT_SUCCESS(hsa_init());
  call();
  EXPECT_EQ(hsa_ext_profile_event_init_producer(api_type, 0), wrong_state) << what;
  EXPECT_EQ(mark_all(signal_type), wrong_state) << what;
  EXPECT_EQ(hsa_ext_profile_event_init(), wrong_state) << what;
  ASSERT_SUCCESS(hsa_shut_down());
}

TEST(ProfileEventsConfiguration, OtherFunctionsEndTheConfigurationState) {
  expect_end_of_configuration("hsa_signal_create", [] {
    hsa_signal_t signal{};
    EXPECT_SUCCESS(hsa_signal_create(0, 0, nullptr, &signal));
  });
  expect_end_of_configuration("hsa_memory_free", [] { EXPECT_SUCCESS(hsa_memory_free(nullptr)); });
  // Also if it fails.
  expect_end_of_configuration("hsa_queue_create", [] {
    EXPECT_EQ(hsa_queue_create({0}, 0, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, nullptr),
              HSA_STATUS_ERROR_INVALID_AGENT);
  });
  expect_end_of_configuration("hsa_ext_image_destroy", [] {
    EXPECT_EQ(hsa_ext_image_destroy({0}, {0}), HSA_STATUS_ERROR_INVALID_AGENT);
  });
  expect_end_of_configuration("hsa_ext_perf_counter_init",
                              [] { EXPECT_SUCCESS(hsa_ext_perf_counter_init()); });
  expect_end_of_configuration("hsa_ext_profile_event_shut_down",
                              [] { EXPECT_EQ(hsa_ext_profile_event_shut_down(), not_initialized); });
  expect_end_of_configuration("hsa_shut_down", [] {
    EXPECT_SUCCESS(hsa_init());
    EXPECT_SUCCESS(hsa_shut_down());
  });
}

TEST_F(ProfileEvents, TheOrderOfInitialization) {
  EXPECT_SUCCESS(hsa_ext_profile_event_init());
  EXPECT_EQ(hsa_ext_profile_event_init(), already_initialized);
  EXPECT_EQ(hsa_ext_profile_event_init_producer(agent_type, kernel_agent_.handle), already_initialized);
  EXPECT_EQ(mark_all(agent_type), already_initialized);
  EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
  EXPECT_EQ(hsa_ext_profile_event_shut_down(), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_init(), wrong_state);
}

TEST_F(ProfileEvents, EveryFunctionNeedsTheInitialization) {
  uint64_t id = 0;
  const char* text = nullptr;
  bool flag = false;
  hsa_ext_profile_event_t event{};
  FieldDescription* fields = nullptr;
  size_t count = 0;
  EXPECT_EQ(hsa_ext_profile_event_register_application_event_producer("a", nullptr, &id), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event_producer(1), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_name(application_type, 0, &text), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_description(application_type, 0, &text), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_producer_supports_events(api_type, 0, &flag), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(api_type, 0), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_disable_for_producer(api_type, 0), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(api_type), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_disable_all_for_producer_type(api_type), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_set_buffer_size_hint(0), not_initialized);
  EXPECT_EQ(define(0, 1), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event(0, 1), not_initialized);
  EXPECT_EQ(trigger(0, 1), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(&event), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_destroy_head_event(&event), not_initialized);
  EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(0, 1, &fields, &count), not_initialized);
}

TEST(ProfileEventsWithoutRuntime, EveryFunctionSaysSo) {
  constexpr auto missing = HSA_STATUS_ERROR_NOT_INITIALIZED;
  EXPECT_EQ(hsa_ext_profile_event_init_producer(api_type, 0), missing);
  EXPECT_EQ(mark_all(api_type), missing);
  EXPECT_EQ(hsa_ext_profile_event_init(), missing);
  EXPECT_EQ(hsa_ext_profile_event_shut_down(), missing);
  EXPECT_EQ(hsa_ext_profile_event_register_application_event_producer(nullptr, nullptr, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event_producer(0), missing);
  EXPECT_EQ(hsa_ext_profile_event_iterate_application_event_producers(nullptr, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_name(api_type, 0, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_description(api_type, 0, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_producer_supports_events(api_type, 0, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(api_type, 0), missing);
  EXPECT_EQ(hsa_ext_profile_event_disable_for_producer(api_type, 0), missing);
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(api_type), missing);
  EXPECT_EQ(hsa_ext_profile_event_disable_all_for_producer_type(api_type), missing);
  EXPECT_EQ(hsa_ext_profile_event_set_buffer_size_hint(0), missing);
  EXPECT_EQ(hsa_ext_profile_event_register_application_event(0, 0, nullptr, 0, nullptr, 0, nullptr, 0),
            missing);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event(0, 0), missing);
  EXPECT_EQ(hsa_ext_profile_event_trigger_application_event(0, 0, nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_destroy_head_event(nullptr), missing);
  EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(0, 0, nullptr, nullptr), missing);
}

TEST_F(ProfileEvents, NullPointers) {
  begin(all_types & ~cache_type);
  uint64_t id = 0;
  FieldDescription* fields = nullptr;
  size_t count = 0;
  EXPECT_EQ(hsa_ext_profile_event_register_application_event_producer(nullptr, "d", &id), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_register_application_event_producer("a", "d", nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_iterate_application_event_producers(nullptr, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_name(api_type, 0, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_producer_get_description(api_type, 0, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_producer_supports_events(api_type, 0, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_destroy_head_event(nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(0, 0, nullptr, &count), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(0, 0, &fields, nullptr), invalid_argument);
}

// ---- producers ----

TEST_F(ProfileEvents, ProducersThatCannotBeMarked) {
  std::vector<hsa_cache_t> caches;
  ASSERT_SUCCESS(hsa_agent_iterate_caches(host_, collect<hsa_cache_t>, &caches));
  for (hsa_cache_t cache : caches)
    EXPECT_EQ(hsa_ext_profile_event_init_producer(cache_type, cache.handle), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_init_producer(agent_type, host_.handle), cannot_use)
      << "the host dispatches nothing";
  EXPECT_SUCCESS(hsa_ext_profile_event_init_producer(application_type, 0))
      << "kernels trigger events of HSAIL";
  EXPECT_EQ(hsa_ext_profile_event_init_producer(application_type, 1), cannot_use);
  for (uint64_t handle : garbage_handles)
    for (auto type : {agent_type, memory_type, cache_type, signal_type})
      EXPECT_EQ(hsa_ext_profile_event_init_producer(type, handle), cannot_use) << type << " " << handle;
  EXPECT_EQ(hsa_ext_profile_event_init_producer(no_type, kernel_agent_.handle), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_init_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_NONE, kernel_agent_.handle),
            cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_init_producer(all_types, kernel_agent_.handle), cannot_use);
  EXPECT_EQ(mark_all(cache_type), cannot_use);
  EXPECT_EQ(mark_all(no_type), cannot_use);
  EXPECT_SUCCESS(mark_all(HSA_EXT_PROFILE_EVENT_PRODUCER_NONE));
}

/// All types of which some producers have events are marked, although the status tells of the others.
TEST_F(ProfileEvents, AllTypesAtOnce) {
  EXPECT_EQ(mark_all(all_types), cannot_use);
  ASSERT_SUCCESS(hsa_ext_profile_event_init());
  for (auto type : {agent_type, memory_type, application_type, signal_type, api_type})
    EXPECT_SUCCESS(hsa_ext_profile_event_enable_all_for_producer_type(type));
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(cache_type), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(all_types), cannot_use);
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_all_for_producer_type(all_types));
}

TEST_F(ProfileEvents, WhichProducersHaveEvents) {
  begin(signal_type | application_type);
  const auto supports = [](hsa_ext_profile_event_producer_t type, uint64_t id) {
    bool result = false;
    EXPECT_SUCCESS(hsa_ext_profile_event_producer_supports_events(type, id, &result));
    return result;
  };
  const hsa_signal_t made = signal(0);
  const uint64_t id = application();
  EXPECT_TRUE(supports(agent_type, kernel_agent_.handle));
  EXPECT_FALSE(supports(agent_type, host_.handle));
  EXPECT_TRUE(supports(memory_type, fine_region().handle));
  for (hsa_region_t region : regions(kernel_agent_))
    EXPECT_EQ(supports(memory_type, region.handle),
              region_info<bool>(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED));
  EXPECT_TRUE(supports(signal_type, made.handle));
  EXPECT_TRUE(supports(application_type, id));
  EXPECT_TRUE(supports(application_type, 0)) << "kernels trigger events of HSAIL";
  EXPECT_FALSE(supports(application_type, id + 1));
  EXPECT_TRUE(supports(api_type, 12345));
  EXPECT_FALSE(supports(no_type, 0));
  for (uint64_t handle : garbage_handles)
    for (auto type : {agent_type, memory_type, cache_type, signal_type}) EXPECT_FALSE(supports(type, handle));
  EXPECT_SUCCESS(hsa_signal_destroy(made));
  EXPECT_FALSE(supports(signal_type, made.handle));
}

TEST_F(ProfileEvents, NamesAndDescriptions) {
  begin(application_type);
  const auto expect = [](hsa_ext_profile_event_producer_t type, uint64_t id, const std::string& name,
                         const std::string& description) {
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_ext_profile_event_producer_get_name(type, id, &text));
    EXPECT_EQ(text, name);
    EXPECT_SUCCESS(hsa_ext_profile_event_producer_get_description(type, id, &text));
    if (description.empty())
      EXPECT_FALSE(std::string(text).empty());
    else
      EXPECT_EQ(text, description);
  };
  expect(application_type, 0, "HSAIL", "Produces events from HSAIL kernels.");
  const uint64_t id = application("mine", "my events");
  expect(application_type, id, "mine", "my events");
  uint64_t plain = 0;
  ASSERT_SUCCESS(hsa_ext_profile_event_register_application_event_producer("mine", nullptr, &plain));
  EXPECT_NE(plain, id);
  const char* text = nullptr;
  EXPECT_SUCCESS(hsa_ext_profile_event_producer_get_description(application_type, plain, &text));
  EXPECT_STREQ(text, "");
  char name[64];
  EXPECT_SUCCESS(hsa_agent_get_info(kernel_agent_, HSA_AGENT_INFO_NAME, name));
  expect(agent_type, kernel_agent_.handle, name, "");
  expect(api_type, 99, "HSA runtime", "");
  const hsa_signal_t made = signal(0);
  expect(signal_type, made.handle, "signal", "");
  EXPECT_SUCCESS(hsa_signal_destroy(made));
  EXPECT_SUCCESS(hsa_ext_profile_event_producer_get_name(memory_type, fine_region().handle, &text));
  for (auto type : {agent_type, memory_type, cache_type, signal_type, application_type, no_type}) {
    EXPECT_EQ(hsa_ext_profile_event_producer_get_name(type, 0xdeadbeef, &text), cannot_use);
    EXPECT_EQ(hsa_ext_profile_event_producer_get_description(type, 0xdeadbeef, &text), cannot_use);
  }
}

TEST_F(ProfileEvents, ApplicationProducersComeAndGo) {
  begin(application_type);
  const uint64_t first = application(), second = application();
  const auto all = [] {
    std::set<uint64_t> ids;
    EXPECT_SUCCESS(hsa_ext_profile_event_iterate_application_event_producers(
        [](uint64_t id, void* data) {
          static_cast<std::set<uint64_t>*>(data)->insert(id);
          return HSA_STATUS_SUCCESS;
        },
        &ids));
    return ids;
  };
  EXPECT_EQ(all(), (std::set<uint64_t>{first, second}));
  EXPECT_EQ(hsa_ext_profile_event_iterate_application_event_producers(
                [](uint64_t, void*) { return HSA_STATUS_INFO_BREAK; }, nullptr),
            HSA_STATUS_INFO_BREAK);
  ASSERT_SUCCESS(define(first, 1));
  EXPECT_SUCCESS(hsa_ext_profile_event_deregister_application_event_producer(first));
  EXPECT_EQ(all(), std::set<uint64_t>{second});
  EXPECT_EQ(trigger(first, 1), not_registered);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event_producer(first), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event_producer(0), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event_producer(kernel_agent_.handle),
            invalid_argument);
}

// ---- events of applications ----

TEST_F(ProfileEvents, EventsHaveTheMetadataOfTheirStructure) {
  begin(application_type);
  const uint64_t producer = application();
  const auto field = [](const char* name, hsa_ext_profile_event_metadata_type_t type) {
    return FieldDescription{name, std::strlen(name), static_cast<uint32_t>(type)};
  };
  ASSERT_SUCCESS(define(producer, 42,
                        {field("u32", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32),
                         field("u64", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64),
                         field("i32", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32),
                         field("f32", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT),
                         field("i64", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT64),
                         field("f64", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_DOUBLE),
                         field("text", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING),
                         field("last", HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32)}));
  struct {
    uint32_t u32 = 1;
    uint64_t u64 = uint64_t{1} << 40;
    int32_t i32 = -3;
    float f32 = 1.5f;
    int64_t i64 = -5;
    double f64 = 2.5;
    const char* text = nullptr;
    uint32_t last = 7;
  } metadata;
  std::string text = "before";
  metadata.text = text.c_str();
  uint64_t before = 0, after = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  ASSERT_SUCCESS(trigger(producer, 42, &metadata));
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  // The event has copies.
  text = "afterwards, and longer than what was there before";
  metadata.u32 = 99;
  metadata.text = nullptr;
  ASSERT_SUCCESS(trigger(producer, 42, &metadata));
  ASSERT_SUCCESS(trigger(producer, 42));
  auto event = take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, static_cast<uint32_t>(application_type));
  EXPECT_EQ(event->producer, producer);
  EXPECT_EQ(event->id, 42u);
  EXPECT_EQ(event->name, "event");
  EXPECT_EQ(event->description, "description");
  EXPECT_GE(event->timestamp, before);
  EXPECT_LE(event->timestamp, after);
  EXPECT_EQ(event->numbers["u32"], 1u);
  EXPECT_EQ(event->numbers["u64"], uint64_t{1} << 40);
  EXPECT_EQ(static_cast<int32_t>(event->numbers["i32"]), -3);
  EXPECT_EQ(event->numbers["f32"], 0x3fc00000u);
  EXPECT_EQ(static_cast<int64_t>(event->numbers["i64"]), -5);
  EXPECT_EQ(event->numbers["f64"], 0x4004000000000000u);
  EXPECT_EQ(event->numbers["last"], 7u);
  EXPECT_EQ(event->texts["text"], "before");
  event = take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->numbers["u32"], 99u);
  EXPECT_EQ(event->texts["text"], "(null)");
  event = take_event();
  ASSERT_TRUE(event);
  EXPECT_FALSE(event->has_metadata);
  EXPECT_FALSE(take_event());
}

TEST_F(ProfileEvents, RegistrationOfEvents) {
  begin(application_type);
  const uint64_t producer = application(), other = application();
  EXPECT_EQ(trigger(producer, 1), not_registered);
  EXPECT_SUCCESS(
      hsa_ext_profile_event_register_application_event(producer, 1, nullptr, 0, nullptr, 0, nullptr, 0));
  EXPECT_EQ(define(producer, 1), invalid_argument) << "registered already";
  EXPECT_SUCCESS(define(other, 1));
  EXPECT_SUCCESS(define(0, 1)) << "an event of HSAIL";
  EXPECT_EQ(define(other + 1, 1), invalid_argument);
  EXPECT_EQ(define(producer, 2, {{nullptr, 0, HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32}}),
            invalid_argument);
  EXPECT_EQ(define(producer, 2, {{"x", 1, 7}}), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_register_application_event(producer, 2, "e", 1, "d", 1, nullptr, 1),
            invalid_argument);
  // A length may cut a text, and a NUL ends it.
  EXPECT_SUCCESS(
      hsa_ext_profile_event_register_application_event(producer, 3, "abcdef", 3, "xy", 100, nullptr, 0));
  EXPECT_SUCCESS(trigger(producer, 1));
  EXPECT_SUCCESS(trigger(producer, 3));
  const auto events = take_events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "");
  EXPECT_EQ(events[1].name, "abc");
  EXPECT_EQ(events[1].description, "xy");
  FieldDescription* fields = nullptr;
  size_t count = 99;
  EXPECT_SUCCESS(hsa_ext_profile_event_get_metadata_field_descs(producer, 3, &fields, &count));
  EXPECT_EQ(count, 0u);
  for (uint64_t unknown : {producer, other + 1, kernel_agent_.handle, fine_region().handle, uint64_t{3}})
    EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(unknown, 999, &fields, &count), not_registered);
  EXPECT_SUCCESS(hsa_ext_profile_event_deregister_application_event(producer, 3));
  EXPECT_EQ(hsa_ext_profile_event_deregister_application_event(producer, 3), not_registered);
  EXPECT_EQ(trigger(producer, 3), not_registered);
  EXPECT_EQ(hsa_ext_profile_event_get_metadata_field_descs(producer, 3, &fields, &count), not_registered);
}

TEST_F(ProfileEvents, CollectedEventsOutliveTheirRegistration) {
  begin(application_type);
  const uint64_t producer = application();
  ASSERT_SUCCESS(define(producer, 1));
  ASSERT_SUCCESS(trigger(producer, 1));
  ASSERT_SUCCESS(hsa_ext_profile_event_deregister_application_event_producer(producer));
  hsa_ext_profile_event_t event{};
  ASSERT_SUCCESS(hsa_ext_profile_event_get_head_event(&event));
  EXPECT_STREQ(event.name, "event");
  EXPECT_SUCCESS(hsa_ext_profile_event_destroy_head_event(&event));
}

TEST_F(ProfileEvents, TheHeadStaysUntilItIsDestroyed) {
  begin(application_type);
  const uint64_t producer = application();
  ASSERT_SUCCESS(define(producer, 1));
  ASSERT_SUCCESS(define(producer, 2));
  hsa_ext_profile_event_t first{}, same{}, second{};
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(&first), out_of_events);
  EXPECT_EQ(hsa_ext_profile_event_destroy_head_event(&first), invalid_argument);
  ASSERT_SUCCESS(trigger(producer, 1));
  ASSERT_SUCCESS(trigger(producer, 2));
  ASSERT_SUCCESS(hsa_ext_profile_event_get_head_event(&first));
  ASSERT_SUCCESS(hsa_ext_profile_event_get_head_event(&same));
  EXPECT_EQ(first.event_id, 1u);
  EXPECT_EQ(same.event_id, 1u);
  EXPECT_SUCCESS(hsa_ext_profile_event_destroy_head_event(&first));
  EXPECT_EQ(hsa_ext_profile_event_destroy_head_event(&same), invalid_argument) << "destroyed already";
  ASSERT_SUCCESS(hsa_ext_profile_event_get_head_event(&second));
  EXPECT_EQ(second.event_id, 2u);
  EXPECT_SUCCESS(hsa_ext_profile_event_destroy_head_event(&second));
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(&second), out_of_events);
}

TEST_F(ProfileEvents, EventsThatDoNotFitAreDropped) {
  begin(application_type);
  const uint64_t producer = application();
  ASSERT_SUCCESS(define(producer, 1));
  const auto fill = [&] {
    size_t count = 0;
    for (int i = 0; i < 1000; ++i) EXPECT_SUCCESS(trigger(producer, 1));
    while (take_event()) ++count;
    return count;
  };
  EXPECT_EQ(fill(), 1000u);
  ASSERT_SUCCESS(hsa_ext_profile_event_set_buffer_size_hint(4096));
  const size_t few = fill();
  EXPECT_GE(few, 4096 / 1024u);
  EXPECT_LE(few, 4096 / sizeof(hsa_ext_profile_event_t));
  ASSERT_SUCCESS(hsa_ext_profile_event_set_buffer_size_hint(8192));
  EXPECT_EQ(fill(), 2 * few);
  ASSERT_SUCCESS(hsa_ext_profile_event_set_buffer_size_hint(0));
  EXPECT_EQ(fill(), 1000u);
}

TEST_F(ProfileEvents, EventsOfApplicationsAreDroppedUnlessTheTypeWasMarked) {
  begin(signal_type);
  const uint64_t producer = application();
  ASSERT_SUCCESS(define(producer, 1));
  EXPECT_SUCCESS(trigger(producer, 1));
  EXPECT_FALSE(take_event());
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(application_type, producer), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(application_type), cannot_use);
}

TEST_F(ProfileEvents, ThreadsTriggerAndRetrieve) {
  constexpr uint64_t threads = 4, rounds = 500;
  begin(application_type);
  const uint64_t producer = application();
  for (uint64_t i = 0; i < threads; ++i)
    ASSERT_SUCCESS(define(producer, i, {{"round", 5, HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64}}));
  std::vector<std::thread> running;
  for (uint64_t i = 0; i < threads; ++i)
    running.emplace_back([=] {
      for (uint64_t round = 0; round < rounds; ++round) EXPECT_SUCCESS(trigger(producer, i, &round));
    });
  uint64_t next[threads] = {};
  for (uint64_t taken = 0; taken < threads * rounds;) {
    const auto event = take_event();
    if (!event) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(event->numbers.at("round"), next[event->id]++) << "the order of one thread's events";
    ++taken;
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_FALSE(take_event());
}

// ---- filters ----

TEST_F(ProfileEvents, FiltersOfProducersAndTypes) {
  begin(application_type);
  const uint64_t a = application(), b = application();
  ASSERT_SUCCESS(define(a, 1));
  ASSERT_SUCCESS(define(b, 1));
  const auto producers_heard = [&] {
    EXPECT_SUCCESS(trigger(a, 1));
    EXPECT_SUCCESS(trigger(b, 1));
    std::set<uint64_t> heard;
    for (const ProfileEvent& event : take_events()) heard.insert(event.producer);
    return heard;
  };
  using Set = std::set<uint64_t>;
  EXPECT_EQ(producers_heard(), (Set{a, b}));
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_for_producer(application_type, a));
  EXPECT_EQ(producers_heard(), Set{b});
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_all_for_producer_type(application_type));
  EXPECT_EQ(producers_heard(), Set{});
  EXPECT_SUCCESS(hsa_ext_profile_event_enable_for_producer(application_type, a));
  EXPECT_EQ(producers_heard(), Set{a});
  const uint64_t later = application();
  ASSERT_SUCCESS(define(later, 1));
  EXPECT_SUCCESS(trigger(later, 1));
  EXPECT_FALSE(take_event()) << "of a disabled type";
  EXPECT_SUCCESS(hsa_ext_profile_event_enable_all_for_producer_type(application_type));
  EXPECT_EQ(producers_heard(), (Set{a, b}));
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(application_type, later + 1), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(agent_type, kernel_agent_.handle), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(no_type, 0), cannot_use);
  EXPECT_EQ(hsa_ext_profile_event_enable_all_for_producer_type(no_type), cannot_use);
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_for_producer(agent_type, kernel_agent_.handle));
  EXPECT_EQ(hsa_ext_profile_event_disable_for_producer(no_type, 0), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_disable_for_producer(all_types, 0), invalid_argument);
  EXPECT_EQ(hsa_ext_profile_event_disable_all_for_producer_type(no_type), invalid_argument);
}

// ---- events of the runtime ----

TEST_F(ProfileEvents, MemoryEvents) {
  const hsa_region_t fine = fine_region(), coarse = coarse_region();
  ASSERT_SUCCESS(hsa_ext_profile_event_init_producer(memory_type, fine.handle));
  ASSERT_SUCCESS(hsa_ext_profile_event_init());
  void *block = nullptr, *elsewhere = nullptr;
  char from[64] = {};
  ASSERT_SUCCESS(hsa_memory_allocate(fine, 1 << 20, &block));
  ASSERT_SUCCESS(hsa_memory_allocate(coarse, 1 << 20, &elsewhere));  // not marked
  EXPECT_SUCCESS(hsa_memory_copy(static_cast<char*>(block) + 8, from, 50));
  EXPECT_SUCCESS(hsa_memory_copy(from, block, 50));  // to memory of no region
  EXPECT_SUCCESS(hsa_memory_free(elsewhere));
  EXPECT_SUCCESS(hsa_memory_free(block));
  auto events = take_events();
  ASSERT_EQ(events.size(), 4u);
  for (const ProfileEvent& event : events) {
    EXPECT_EQ(event.type, static_cast<uint32_t>(memory_type));
    EXPECT_EQ(event.producer, fine.handle);
  }
  const auto base = reinterpret_cast<uint64_t>(block);
  EXPECT_EQ(events[0].name, "allocation");
  EXPECT_EQ(events[0].numbers["address"], base);
  EXPECT_EQ(events[0].numbers["bytes"], 1u << 20);
  EXPECT_EQ(events[1].name, "copy.begin");
  EXPECT_EQ(events[1].numbers["hsa.ended-by"], events[2].id);
  EXPECT_EQ(events[2].name, "copy.end");
  EXPECT_EQ(events[2].numbers["hsa.started-by"], events[1].id);
  EXPECT_EQ(events[2].numbers["bytes"], 50u);
  EXPECT_EQ(events[2].numbers["status"], static_cast<uint64_t>(HSA_STATUS_SUCCESS));
  for (int i : {1, 2}) {
    EXPECT_EQ(events[i].numbers["address"], base + 8);
    EXPECT_EQ(events[i].numbers["source"], reinterpret_cast<uint64_t>(from));
  }
  EXPECT_EQ(events[3].name, "release");
  EXPECT_EQ(events[3].numbers["address"], base);
  EXPECT_EQ(events[3].numbers["bytes"], events[0].numbers["bytes"]);
  for (size_t i = 1; i < events.size(); ++i) EXPECT_LE(events[i - 1].timestamp, events[i].timestamp);
}

TEST_F(ProfileEvents, SignalEvents) {
  begin(signal_type);
  const hsa_signal_t made = signal(7), other = signal(0);
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_for_producer(signal_type, other.handle));
  EXPECT_EQ(hsa_signal_wait_scacquire(made, HSA_SIGNAL_CONDITION_EQ, 7, UINT64_MAX, HSA_WAIT_STATE_ACTIVE),
            7);
  hsa_signal_store_relaxed(made, -1);
  EXPECT_EQ(hsa_signal_wait_relaxed(made, HSA_SIGNAL_CONDITION_LT, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
            -1);
  EXPECT_EQ(hsa_signal_wait_relaxed(other, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
            0);
  hsa_signal_group_t group{};
  ASSERT_SUCCESS(hsa_signal_group_create(1, &made, 1, &host_, &group));
  const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  const hsa_signal_value_t wanted = -1;
  hsa_signal_t met{};
  hsa_signal_value_t value = 0;
  EXPECT_SUCCESS(
      hsa_signal_group_wait_any_scacquire(group, &condition, &wanted, HSA_WAIT_STATE_BLOCKED, &met, &value));
  EXPECT_SUCCESS(hsa_signal_group_destroy(group));
  for (hsa_signal_t used : {made, other}) EXPECT_SUCCESS(hsa_signal_destroy(used));
  auto events = take_events();
  ASSERT_EQ(named(events, "creation").size(), 2u);
  std::erase_if(events, [&](const ProfileEvent& event) { return event.producer == other.handle; });
  const std::vector<const char*> names = {"creation", "wait.begin", "wait.end", "wait.begin",
                                          "wait.end", "wait.begin", "wait.end", "destruction"};
  const std::vector<int64_t> values = {7, 0, 7, 0, -1, 0, -1, 0};
  ASSERT_EQ(events.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(events[i].name, names[i]) << i;
    EXPECT_EQ(events[i].type, static_cast<uint32_t>(signal_type));
    EXPECT_EQ(events[i].producer, made.handle);
    if (events[i].numbers.contains("value"))
      EXPECT_EQ(static_cast<int64_t>(events[i].numbers["value"]), values[i]) << i;
    if (i != 0) EXPECT_LE(events[i - 1].timestamp, events[i].timestamp) << i;
  }
}

TEST_F(ProfileEvents, ApiEvents) {
  begin(api_type);
  void* block = nullptr;
  ASSERT_SUCCESS(hsa_memory_allocate(fine_region(), 64, &block));
  take_events();
  EXPECT_SUCCESS(hsa_memory_free(block));
  EXPECT_EQ(hsa_signal_destroy({0}), invalid_argument);
  EXPECT_EQ(hsa_executable_load_program_code_object({0}, {0}, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_SUCCESS(hsa_ext_profile_event_set_buffer_size_hint(0));  // no event
  auto events = take_events();
  const struct {
    const char* function;
    hsa_status_t status;
  } calls[] = {{"hsa_memory_free", HSA_STATUS_SUCCESS},
               {"hsa_signal_destroy", HSA_STATUS_ERROR_INVALID_ARGUMENT},
               {"hsa_executable_load_program_code_object", HSA_STATUS_ERROR_INVALID_EXECUTABLE}};
  ASSERT_EQ(events.size(), 2 * std::size(calls));
  for (size_t i = 0; i < std::size(calls); ++i) {
    ProfileEvent &call = events[2 * i], &end = events[2 * i + 1];
    EXPECT_EQ(call.name, "call.begin");
    EXPECT_EQ(end.name, "call.end");
    EXPECT_EQ(call.type, static_cast<uint32_t>(api_type));
    EXPECT_EQ(call.texts["function"], calls[i].function);
    EXPECT_EQ(end.texts["function"], calls[i].function);
    EXPECT_EQ(end.numbers["status"], static_cast<uint64_t>(calls[i].status));
    EXPECT_EQ(call.numbers["hsa.ended-by"], end.id);
    EXPECT_EQ(end.numbers["hsa.started-by"], call.id);
    EXPECT_LE(call.timestamp, end.timestamp);
  }
  EXPECT_SUCCESS(hsa_ext_profile_event_disable_for_producer(api_type, 5));
  EXPECT_SUCCESS(hsa_memory_free(nullptr));
  EXPECT_FALSE(take_event());
  EXPECT_SUCCESS(hsa_ext_profile_event_enable_for_producer(api_type, 6));
  EXPECT_SUCCESS(hsa_memory_free(nullptr));
  EXPECT_EQ(take_events().size(), 2u);
}

TEST_F(ProfileEvents, NothingIsCollectedAfterTheShutDown) {
  begin(signal_type | application_type);
  const hsa_signal_t made = signal(0);
  ASSERT_SUCCESS(hsa_ext_profile_event_shut_down());
  EXPECT_SUCCESS(hsa_signal_destroy(made));
  hsa_ext_profile_event_t event{};
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(&event), not_initialized);
}

TEST_F(ProfileEvents, TheTableHasTheFunctions) {
  hsa_ext_profile_event_1_pfn_t table{}, same{};
  ASSERT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_PROFILE_EVENTS, 1, sizeof table, &table));
  EXPECT_EQ(table.hsa_ext_profile_event_init, hsa_ext_profile_event_init);
  EXPECT_EQ(table.hsa_ext_profile_event_trigger_application_event,
            hsa_ext_profile_event_trigger_application_event);
  EXPECT_EQ(table.hsa_ext_profile_event_get_metadata_field_descs,
            hsa_ext_profile_event_get_metadata_field_descs);
  ASSERT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_PROFILE_EVENTS, 1, 0, &same));
  EXPECT_EQ(std::memcmp(&table, &same, sizeof table), 0);
}

}  // namespace
}  // namespace heddle::runtime::test
