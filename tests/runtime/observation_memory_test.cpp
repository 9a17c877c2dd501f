// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that runs out in calls for logs, performance counters and profile events: each allocation fails
// once. The call then returns OUT_OF_RESOURCES, leaves nothing behind, and works when it is repeated.
#include <hsa/hsa_ext_log.h>

#include "code.h"
#include "counters.h"
#include "events.h"
#include "failing_memory.h"

namespace heddle::runtime::test {
namespace {

#define FAIL_EACH(...) sweep(#__VA_ARGS__, Failing::all, fail_memory, [&] { return __VA_ARGS__; }, [] {})

class ObservationOutOfMemory : public Executables {};

TEST_F(ObservationOutOfMemory, Logs) {
  hsa_ext_log_t log{};
  EXPECT_GT(FAIL_EACH(hsa_ext_log_create(&log)), 0);
  const hsa_executable_t e = executable();
  const auto good = reader(program_part());
  EXPECT_GT(FAIL_EACH(hsa_ext_log_load_program_code_object(e, good, nullptr, nullptr, log)), 0);
  char text[1024];
  size_t size = sizeof text;
  WITHOUT_MEMORY(hsa_ext_log_get(log, &size, text));
  WITHOUT_MEMORY(hsa_ext_log_destroy(log));
}

TEST_F(ObservationOutOfMemory, Sessions) {
  uint32_t count = 0;
  EXPECT_GT(FAIL_EACH(hsa_ext_perf_counter_get_num(&count)), 0);
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  const uint32_t copies = find_counter("copies", {HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0});
  hsa_ext_perf_counter_session_ctx_t context{};
  EXPECT_GT(FAIL_EACH(hsa_ext_perf_counter_session_context_create(&context)), 0);
  WITHOUT_MEMORY(hsa_ext_perf_counter_enable(context, copies));
  EXPECT_GT(FAIL_EACH(hsa_ext_perf_counter_session_enable(context)), 0);
  // Whether there is room in the list of observers depends on what came before.
  FAIL_EACH(hsa_ext_perf_counter_session_start(context));
  char from = 0, to = 1;
  EXPECT_SUCCESS(hsa_memory_copy(&to, &from, 1));
  uint64_t copied = 0;
  WITHOUT_MEMORY(hsa_ext_perf_counter_session_stop(context));
  WITHOUT_MEMORY(hsa_ext_perf_counter_read_uint64(context, copies, &copied));
  EXPECT_EQ(copied, 1u);
  WITHOUT_MEMORY(hsa_ext_perf_counter_session_disable(context));
  WITHOUT_MEMORY(hsa_ext_perf_counter_session_context_destroy(context));
  WITHOUT_MEMORY(hsa_ext_perf_counter_shut_down());
}

TEST_F(ObservationOutOfMemory, Events) {
  EXPECT_GT(FAIL_EACH(hsa_ext_profile_event_init_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT,
                                                          kernel_agent_.handle)),
            0);
  ASSERT_SUCCESS(hsa_ext_profile_event_init_all_of_producer_type(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION));
  FAIL_EACH(hsa_ext_profile_event_init());
  uint64_t producer = 0;
  EXPECT_GT(FAIL_EACH(hsa_ext_profile_event_register_application_event_producer(
                "a name that needs memory of its own", "and a description that does, too", &producer)),
            0);
  std::vector<uint64_t> ids;
  ASSERT_SUCCESS(hsa_ext_profile_event_iterate_application_event_producers(collect<uint64_t>, &ids));
  EXPECT_EQ(ids, std::vector<uint64_t>{producer}) << "what failed is not registered";
  FieldDescription field{"text", 4, HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING};
  EXPECT_GT(FAIL_EACH(hsa_ext_profile_event_register_application_event(producer, 1, "event", 5, nullptr, 0,
                                                                       &field, 1)),
            0);
  const char* metadata = "a string that needs memory of its own";
  EXPECT_GT(
      FAIL_EACH(hsa_ext_profile_event_trigger_application_event(producer, 1, static_cast<void*>(&metadata))),
      0);
  hsa_ext_profile_event_t event{};
  WITHOUT_MEMORY(hsa_ext_profile_event_get_head_event(&event));
  WITHOUT_MEMORY(hsa_ext_profile_event_destroy_head_event(&event));
  EXPECT_EQ(hsa_ext_profile_event_get_head_event(&event), HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS)
      << "what failed was not produced";
  EXPECT_GT(FAIL_EACH(hsa_ext_profile_event_disable_for_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION,
                                                                 producer)),
            0);
  WITHOUT_MEMORY(hsa_ext_profile_event_deregister_application_event(producer, 1));
  WITHOUT_MEMORY(hsa_ext_profile_event_deregister_application_event_producer(producer));
  WITHOUT_MEMORY(hsa_ext_profile_event_shut_down());
}

}  // namespace
}  // namespace heddle::runtime::test
