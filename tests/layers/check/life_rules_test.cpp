// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about the lives of handles and memory, signals, queues and the runtime.
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ext_log.h>
#include <hsa/hsa_ext_perf_counter.h>
#include <hsa/hsa_ext_profile_event.h>

#include <atomic>
#include <thread>

#include "fixture.h"

namespace heddle::check::test {
namespace {

using LifeRules = Checked;

class LifeOfEachKind : public Checked {
 protected:
  /// Expects that uses after the end are reported with the rule, and a second end with destroyed-twice.
  static void expect(const char* id, const char* maker, const std::function<void()>& use,
                     const std::function<void()>& destroy) {
    EXPECT_EQ(said(use), "") << id;
    EXPECT_EQ(said(destroy), "") << id;
    const std::string text = said(use);
    EXPECT_THAT(text, HasSubstr(rule(id)));
    EXPECT_THAT(text, HasSubstr(std::string("made by ") + maker + " at "));
    EXPECT_THAT(text, HasSubstr("destroyed by "));
    EXPECT_THAT(said(destroy), HasSubstr(rule("destroyed-twice"))) << id;
  }
};

TEST_F(LifeOfEachKind, Signal) {
  const hsa_signal_t made = signal(1);
  expect(
      "signal-destroyed", "hsa_signal_create", [&] { hsa_signal_store_relaxed(made, 2); },
      [&] { (void)hsa_signal_destroy(made); });
}

TEST_F(LifeOfEachKind, SignalGroup) {
  hsa_signal_t one = signal(0);
  hsa_signal_group_t group{};
  EXPECT_SUCCESS(hsa_signal_group_create(1, &one, 1, &host_, &group));
  const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
  const hsa_signal_value_t zero = 0;
  hsa_signal_t found{};
  hsa_signal_value_t value = 0;
  expect(
      "signal-group-destroyed", "hsa_signal_group_create",
      [&] {
        (void)hsa_signal_group_wait_any_relaxed(group, &condition, &zero, HSA_WAIT_STATE_BLOCKED, &found,
                                                &value);
      },
      [&] { (void)hsa_signal_group_destroy(group); });
  EXPECT_SUCCESS(hsa_signal_destroy(one));
}

TEST_F(LifeOfEachKind, Queue) {
  hsa_queue_t* queue = make_queue(agent_);
  queue_ = nullptr;
  expect(
      "queue-destroyed", "hsa_queue_create", [&] { (void)hsa_queue_inactivate(queue); },
      [&] { (void)hsa_queue_destroy(queue); });
}

TEST_F(LifeOfEachKind, ExecutableAndReader) {
  (void)kernel_object();
  hsa_executable_state_t state{};
  hsa_executable_t executable = executable_;
  executable_ = {};
  expect(
      "executable-destroyed", "hsa_executable_create_alt",
      [&] { (void)hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, &state); },
      [&] { (void)hsa_executable_destroy(executable); });
  EXPECT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                           &executable));
  hsa_code_object_reader_t reader = reader_;
  reader_ = {};
  expect(
      "reader-destroyed", "hsa_code_object_reader_create_from_memory",
      [&] { (void)hsa_executable_load_program_code_object(executable, reader, nullptr, nullptr); },
      [&] { (void)hsa_code_object_reader_destroy(reader); });
  EXPECT_SUCCESS(hsa_executable_destroy(executable));
}

TEST_F(LifeOfEachKind, CodeObject) {
  std::vector<std::byte> bytes = runtime::test::co::write(runtime::test::sample());
  hsa_code_object_t object{};
  ASSERT_SUCCESS(hsa_code_object_deserialize(bytes.data(), bytes.size(), nullptr, &object));
  hsa_profile_t profile{};
  expect(
      "code-object-destroyed", "hsa_code_object_deserialize",
      [&] { (void)hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_PROFILE, &profile); },
      [&] { (void)hsa_code_object_destroy(object); });
}

TEST_F(LifeOfEachKind, ProgramAndWriter) {
  hsa_ext_program_t program{};
  ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                        HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
  hsa_profile_t profile{};
  expect(
      "program-destroyed", "hsa_ext_program_create",
      [&] { (void)hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, &profile); },
      [&] { (void)hsa_ext_program_destroy(program); });
  hsa_ext_code_object_writer_t writer{};
  const auto refuse = [](size_t, size_t, void**, void*) { return HSA_STATUS_ERROR; };
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(refuse, nullptr, &writer));
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer)); }), "");
  ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                        HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
  EXPECT_THAT(said([&] { (void)hsa_ext_program_code_object_finalize(program, nullptr, writer); }),
              HasSubstr(rule("writer-destroyed")));
  EXPECT_SUCCESS(hsa_ext_program_destroy(program));
}

TEST_F(LifeOfEachKind, ImageAndSampler) {
  alignas(64) uint32_t data[16] = {};
  const hsa_ext_image_descriptor_t square{
      HSA_EXT_IMAGE_GEOMETRY_2D,
      4,
      4,
      0,
      0,
      {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
  hsa_ext_image_t image{};
  ASSERT_SUCCESS(hsa_ext_image_create(agent_, &square, data, HSA_ACCESS_PERMISSION_RW, &image));
  const hsa_ext_image_region_t all{{0, 0, 0}, {4, 4, 1}};
  expect(
      "image-destroyed", "hsa_ext_image_create",
      [&] { (void)hsa_ext_image_export(agent_, image, data, 0, 0, &all); },
      [&] { (void)hsa_ext_image_destroy(agent_, image); });
  const hsa_ext_sampler_descriptor_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE};
  hsa_ext_sampler_t sampler{};
  ASSERT_SUCCESS(hsa_ext_sampler_create(agent_, &descriptor, &sampler));
  EXPECT_SUCCESS(hsa_ext_sampler_destroy(agent_, sampler));
  // No function uses a sampler except the one that destroys it.
  EXPECT_THAT(said([&] { (void)hsa_ext_sampler_destroy(agent_, sampler); }),
              HasSubstr(rule("destroyed-twice")));
}

TEST_F(LifeOfEachKind, CounterSession) {
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  hsa_ext_perf_counter_session_ctx_t session{};
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_create(&session));
  bool valid = false;
  expect(
      "counter-session-destroyed", "hsa_ext_perf_counter_session_context_create",
      [&] { (void)hsa_ext_perf_counter_session_context_set_valid(&session, 1, &valid); },
      [&] { (void)hsa_ext_perf_counter_session_context_destroy(session); });
  EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
}

TEST_F(LifeOfEachKind, EventProducer) {
  ASSERT_SUCCESS(hsa_ext_profile_event_init());
  uint64_t producer = 0;
  ASSERT_SUCCESS(hsa_ext_profile_event_register_application_event_producer("p", "a producer", &producer));
  EXPECT_EQ(
      said([&] { EXPECT_SUCCESS(hsa_ext_profile_event_deregister_application_event_producer(producer)); }),
      "");
  EXPECT_THAT(said([&] { (void)hsa_ext_profile_event_trigger_application_event(producer, 1, nullptr); }),
              HasSubstr(rule("event-producer-destroyed")));
  EXPECT_THAT(said([&] { (void)hsa_ext_profile_event_deregister_application_event_producer(producer); }),
              HasSubstr(rule("destroyed-twice")));
  EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
}

TEST_F(LifeOfEachKind, ExtensionsEndTheirObjects) {
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  hsa_ext_perf_counter_session_ctx_t session{};
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_create(&session));
  EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
  EXPECT_THAT(said([&] { (void)hsa_ext_perf_counter_session_context_destroy(session); }),
              HasSubstr("ended with an earlier hsa_ext_perf_counter_shut_down"));
  EXPECT_EQ(said([&] { shut_down(); }), "");
}

TEST_F(LifeOfEachKind, Log) {
  hsa_ext_log_t log{};
  ASSERT_SUCCESS(hsa_ext_log_create(&log));
  size_t size = 0;
  expect(
      "log-destroyed", "hsa_ext_log_create", [&] { (void)hsa_ext_log_get(log, &size, nullptr); },
      [&] { (void)hsa_ext_log_destroy(log); });
}

TEST_F(LifeOfEachKind, MemoryHandle) {
  std::vector<hsa_amd_memory_pool_t> pools;
  ASSERT_SUCCESS(hsa_amd_agent_iterate_memory_pools(agent_, collect<hsa_amd_memory_pool_t>, &pools));
  hsa_amd_vmem_alloc_handle_t memory{};
  ASSERT_SUCCESS(hsa_amd_vmem_handle_create(pools.front(), size_t{2} << 20, MEMORY_TYPE_NONE, 0, &memory));
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type{};
  expect(
      "memory-handle-destroyed", "hsa_amd_vmem_handle_create",
      [&] { (void)hsa_amd_vmem_get_alloc_properties_from_handle(memory, &pool, &type); },
      [&] { (void)hsa_amd_vmem_handle_release(memory); });
}

TEST_F(LifeRules, HandleOfAnotherKind) {
  (void)kernel_object();
  EXPECT_THAT(said([&] { (void)hsa_ext_program_destroy({executable_.handle}); }),
              HasSubstr("a program is expected, and "));
  const std::string text = said([&] { (void)hsa_ext_program_destroy({executable_.handle}); });
  EXPECT_THAT(text, HasSubstr(rule("handle-kind")));
  EXPECT_THAT(text, HasSubstr("is the handle of an executable"));
}

TEST_F(LifeRules, HandleThatNobodyReturned) {
  EXPECT_THAT(said([&] { (void)hsa_signal_destroy({0x1234}); }), HasSubstr(rule("handle-unknown")));
}

TEST_F(LifeRules, HandleOfAnEarlierInit) {
  const hsa_signal_t old = signal(1);
  shut_down();
  ASSERT_SUCCESS(hsa_init());
  running_ = true;
  const std::string text = said([&] { (void)hsa_signal_destroy(old); });
  EXPECT_THAT(text, HasSubstr(rule("earlier-init")));
  EXPECT_THAT(text, HasSubstr("ended by hsa_shut_down at "));
}

TEST_F(LifeRules, Leaks) {
  volatile int count = 3;  // keeps the loop one place
  const std::string text = said([&] {
    for (int i = 0; i < count; ++i) (void)signal(1);
    (void)allocate(data_region_, 4096);
    char mine[64];
    void* locked = nullptr;
    EXPECT_SUCCESS(hsa_amd_memory_lock(mine, sizeof mine, nullptr, 0, &locked));
    shut_down();
  });
  EXPECT_THAT(text, HasSubstr(rule("leak")));
  EXPECT_THAT(text, HasSubstr("a signal was never destroyed: 3 of them from this place"));
  EXPECT_THAT(text, HasSubstr("memory was never freed: 1 of them with 4096 bytes"));
  EXPECT_THAT(text, HasSubstr("a lock was never undone: 1 of them"));
  EXPECT_THAT(text, HasSubstr("made by hsa_signal_create at "));
}

TEST_F(LifeRules, FreedTwice) {
  void* memory = allocate(data_region_, 64);
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_memory_free(memory)); }), "");
  // Pools refuse what is not theirs, so that the process lives on.
  EXPECT_THAT(said([&] { (void)hsa_amd_memory_pool_free(memory); }), HasSubstr(rule("memory-freed-twice")));
}

TEST_F(LifeRules, FreeOfUnknownMemory) {
  char mine[64];
  EXPECT_THAT(said([&] { (void)hsa_amd_memory_pool_free(mine); }), HasSubstr(rule("memory-free-unknown")));
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_memory_free(nullptr)); }), "");
}

TEST_F(LifeRules, CopyBeyondTheEnd) {
  const auto granule =
      runtime::test::region_info<size_t>(data_region_, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE);
  const size_t size = 2 * std::max<size_t>(granule, 4096);
  auto* memory = static_cast<char*>(allocate(data_region_, size));
  memory_.push_back(memory);
  // Some of what lies behind the allocation belongs to another one, so that the copy does no harm.
  std::vector<char> mine(size);
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_memory_copy(memory, mine.data(), size)); }), "");
  const hsa_signal_t never = signal(1);
  const hsa_signal_t done = signal(1);
  const std::string text = said([&] {
    EXPECT_SUCCESS(hsa_amd_memory_async_copy(memory + 8, host_, mine.data(), host_, size, 1, &never, done));
  });
  EXPECT_THAT(text, HasSubstr(rule("memory-bounds")));
  EXPECT_THAT(text, HasSubstr("8 more than its allocation"));
  // The copy never begins: its dependency goes with the runtime.
  said([&] { shut_down(); });
}

TEST_F(LifeRules, LocksAndRegistrations) {
  char mine[64];
  void* locked = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_lock(mine, sizeof mine, nullptr, 0, &locked));
  EXPECT_SUCCESS(hsa_memory_register(mine, sizeof mine));
  EXPECT_EQ(said([&] {
              EXPECT_SUCCESS(hsa_amd_memory_unlock(mine));
              EXPECT_SUCCESS(hsa_memory_deregister(mine, sizeof mine));
            }),
            "");
  EXPECT_THAT(said([&] { (void)hsa_amd_memory_unlock(mine); }), HasSubstr(rule("lock-balance")));
  EXPECT_THAT(said([&] { (void)hsa_memory_deregister(mine, sizeof mine); }),
              HasSubstr(rule("registration-balance")));
}

TEST_F(LifeRules, SignalInFlight) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal = signal(1);
  EXPECT_EQ(said_about(packet), "");
  const std::string text = said([&] { EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal)); });
  EXPECT_THAT(text, HasSubstr(rule("signal-in-flight")));
  EXPECT_THAT(text,
              HasSubstr("is the completion signal of a dispatch of &main (packet 1), which is in flight"));
  EXPECT_THAT(text, HasSubstr("submitted by hsa_signal_store_screlease at "));
}

TEST_F(LifeRules, KernargInFlight) {
  const hsa_kernel_dispatch_packet_t packet = dispatch();
  EXPECT_EQ(said_about(packet), "");
  EXPECT_THAT(said([&] { EXPECT_SUCCESS(hsa_memory_free(packet.kernarg_address)); }),
              HasSubstr(rule("kernarg-in-flight")));
  memory_.clear();
}

TEST_F(LifeRules, MemoryOfAnArgumentInFlight) {
  const hsa_kernel_dispatch_packet_t packet = dispatch();
  char* data = static_cast<char*>(allocate(data_region_, 4096));
  const char* inside = data + 100;
  std::memcpy(static_cast<char*>(packet.kernarg_address) + 8, &inside, sizeof inside);
  EXPECT_EQ(said_about(packet), "");
  EXPECT_THAT(said([&] { EXPECT_SUCCESS(hsa_memory_free(data)); }), HasSubstr(rule("memory-in-flight")));
}

TEST_F(LifeRules, MemoryOfACopyInFlight) {
  void* data = allocate(data_region_, 4096);
  char mine[64] = {};
  const hsa_signal_t start = signal(1);
  const hsa_signal_t done = signal(1);
  EXPECT_SUCCESS(hsa_amd_memory_async_copy(mine, host_, data, host_, sizeof mine, 1, &start, done));
  EXPECT_THAT(said([&] { (void)hsa_memory_register(data, 1); }), "");
  const std::string text = said([&] { (void)hsa_signal_destroy(done); });
  EXPECT_THAT(text, HasSubstr(rule("signal-in-flight")));
  EXPECT_THAT(text, HasSubstr("submitted by hsa_amd_memory_async_copy at "));
  said([&] { shut_down(); });
}

/// Every second row of 64 bytes is used.
TEST_F(LifeRules, MemoryOfARectangleInFlight) {
  auto* data = static_cast<char*>(allocate(data_region_, 4096));
  auto* other = static_cast<char*>(allocate(data_region_, 4096));
  const hsa_signal_t start = signal(1);
  const hsa_signal_t done = signal(1);
  char mine[1024] = {};
  const hsa_pitched_ptr_t to = {mine, 64, 0}, from = {data, 128, 0};
  const hsa_dim3_t origin = {0, 0, 0}, second = {0, 1, 0}, range = {64, 16, 1};
  const auto copy = [&](const hsa_dim3_t& range) {
    return hsa_amd_memory_async_copy_rect(&to, &origin, &from, &second, &range, host_, hsaHostToHost, 1,
                                          &start, done);
  };
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(copy(range)); }), "");
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_memory_free(other)); }), "");
  const std::string text = said([&] { EXPECT_SUCCESS(hsa_memory_free(data)); });
  EXPECT_THAT(text, HasSubstr(rule("memory-in-flight")));
  EXPECT_THAT(text, HasSubstr("is the source of a copy"));
  EXPECT_THAT(text, HasSubstr("submitted by hsa_amd_memory_async_copy_rect at "));
  EXPECT_THAT(said([&] { (void)hsa_signal_destroy(done); }), HasSubstr(rule("signal-in-flight")));
  said([&] { shut_down(); });
}

TEST_F(LifeRules, ARectangleBeyondTheEnd) {
  const auto granule =
      runtime::test::region_info<size_t>(data_region_, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE);
  const size_t size = std::max<size_t>(granule, 4096);
  auto* data = static_cast<char*>(allocate(data_region_, size));
  memory_.push_back(data);
  const hsa_signal_t never = signal(1);
  const hsa_signal_t done = signal(2);
  std::vector<char> mine(2 * size);
  const auto rows = static_cast<uint32_t>(size / 64);
  const hsa_pitched_ptr_t from = {mine.data(), 64, 0}, to = {data, 64, 0};
  const hsa_dim3_t origin = {0, 0, 0}, shifted = {0, 1, 0}, range = {64, rows, 1};
  const auto copy = [&](const hsa_dim3_t& offset) {
    return said([&] {
      EXPECT_SUCCESS(hsa_amd_memory_async_copy_rect(&to, &offset, &from, &origin, &range, host_,
                                                    hsaHostToHost, 1, &never, done));
    });
  };
  EXPECT_EQ(copy(origin), "");
  const std::string text = copy(shifted);
  EXPECT_THAT(text, HasSubstr(rule("memory-bounds")));
  EXPECT_THAT(text, HasSubstr("64 more than its allocation"));
  said([&] { shut_down(); });
}

TEST_F(LifeRules, MemoryOfACopyToSeveralInFlight) {
  void* first = allocate(data_region_, 4096);
  void* second = allocate(data_region_, 4096);
  char mine[64] = {};
  const hsa_signal_t start = signal(1);
  const hsa_signal_t done = signal(1);
  hsa_location_t to[] = {{host_, first}, {host_, second}};
  EXPECT_EQ(
      said([&] {
        EXPECT_SUCCESS(hsa_memory_copy_multiple(2, sizeof mine, to, {host_, mine}, nullptr, start, done));
      }),
      "");
  const std::string text = said([&] { EXPECT_SUCCESS(hsa_memory_free(second)); });
  EXPECT_THAT(text, HasSubstr(rule("memory-in-flight")));
  EXPECT_THAT(text, HasSubstr("is the destination of a copy"));
  EXPECT_THAT(said([&] { (void)hsa_signal_destroy(done); }), HasSubstr(rule("signal-in-flight")));
  said([&] { shut_down(); });
}

TEST_F(LifeRules, ExecutableInFlight) {
  const hsa_kernel_dispatch_packet_t packet = dispatch();
  EXPECT_EQ(said_about(packet), "");
  EXPECT_THAT(said([&] { EXPECT_SUCCESS(hsa_executable_destroy(executable_)); }),
              HasSubstr(rule("executable-in-flight")));
  executable_ = {};
}

TEST_F(LifeRules, NothingIsInFlightAfterItsCompletion) {
  hsa_kernel_dispatch_packet_t packet = dispatch();
  packet.completion_signal = signal(1);
  EXPECT_EQ(said_about(packet), "");
  open_gate();
  EXPECT_EQ(said([&] {
              while (hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_LT, 1,
                                               UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != 0) {
              }
              EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
              EXPECT_SUCCESS(hsa_memory_free(packet.kernarg_address));
              EXPECT_SUCCESS(hsa_executable_destroy(executable_));
            }),
            "");
  memory_.clear();
  executable_ = {};
}

TEST_F(LifeRules, Doorbell) {
  make_queue(agent_);
  EXPECT_THAT(said([&] { (void)hsa_signal_destroy(queue_->doorbell_signal); }),
              HasSubstr(rule("doorbell-destroyed")));
}

TEST_F(LifeRules, WaitOfAHostThatIsNoConsumer) {
  const hsa_signal_t nobody = signal(0, {agent_});
  const auto wait = [&](hsa_signal_t signal) {
    (void)hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  };
  const auto type = runtime::test::agent_info<hsa_device_type_t>(agent_, HSA_AGENT_INFO_DEVICE);
  const std::string text = said([&] { wait(nobody); });
  if (type == HSA_DEVICE_TYPE_CPU)
    EXPECT_EQ(text, "");
  else
    EXPECT_THAT(text, HasSubstr(rule("signal-consumer")));
  EXPECT_SUCCESS(hsa_signal_destroy(nobody));
}

TEST_F(LifeRules, CallDuringTheLastShutDown) {
  struct Meeting {
    std::atomic<bool> inside{false};
  } meeting;
  const std::string text = said([&] {
    // The last hsa_shut_down first hides the runtime from new calls and then waits for this one.
    std::thread other([&] {
      const auto stay = [](hsa_agent_t, void* data) {
        static_cast<Meeting*>(data)->inside.store(true);
        uint16_t version = 0;
        while (hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version) == HSA_STATUS_SUCCESS)
          std::this_thread::yield();
        return HSA_STATUS_INFO_BREAK;
      };
      (void)hsa_iterate_agents(stay, &meeting);
    });
    while (!meeting.inside.load()) std::this_thread::yield();
    shut_down();
    other.join();
  });
  EXPECT_THAT(text, HasSubstr(rule("shut-down-race") + "hsa_shut_down: thread "));
  EXPECT_THAT(text, HasSubstr(" is in hsa_iterate_agents during the last hsa_shut_down"));
}

TEST_F(LifeRules, ChildrenOfForks) {
  const hsa_signal_t parents = signal(1);
  const std::string text = said([&] {
    EXPECT_EQ(in_child([&] {
                if (hsa_init() != HSA_STATUS_SUCCESS) return 1;
                (void)hsa_signal_destroy(parents);
                return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 2;
              }),
              0);
  });
  EXPECT_THAT(text, HasSubstr(rule("handle-unknown") + "hsa_signal_destroy"));
  EXPECT_SUCCESS(hsa_signal_destroy(parents));
}

}  // namespace
}  // namespace heddle::check::test
