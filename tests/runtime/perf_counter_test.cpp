// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the extension for performance counters (Runtime 3.4): attributes, states of sessions, and
// every error. What counters count while kernels run is in counted_kernels_test.cpp.
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <cstring>
#include <set>
#include <thread>

#include "counters.h"

namespace heddle::runtime::test {
namespace {

constexpr auto invalid_state = HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
constexpr auto invalid_sampling = HSA_EXT_STATUS_ERROR_INVALID_SAMPLING_CONTEXT;
constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;
constexpr auto invalid_index = HSA_STATUS_ERROR_INVALID_INDEX;

class PerformanceCounters : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
    Runtime::TearDown();
  }
  uint32_t of_kernel_agent(const std::string& name) const {
    const uint32_t found = find_counter(name, {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, kernel_agent_.handle});
    EXPECT_NE(found, no_counter) << name;
    return found;
  }
  uint32_t of_host(const std::string& name) const {
    return find_counter(name, {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, host_.handle});
  }
  static uint32_t of_system(const std::string& name) {
    const uint32_t found = find_counter(name, {HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0});
    EXPECT_NE(found, no_counter) << name;
    return found;
  }
};

TEST_F(PerformanceCounters, AttributesOfEveryCounter) {
  ASSERT_GT(counter_count(), 0u);
  for (uint32_t i = 0; i < counter_count(); ++i) {
    EXPECT_FALSE(counter_name(i).empty());
    EXPECT_FALSE(
        counter_text(i, HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION_LENGTH, HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION)
            .empty());
    EXPECT_LE(counter_info<hsa_ext_perf_counter_type_t>(i, HSA_EXT_PERF_COUNTER_INFO_TYPE),
              HSA_EXT_PERF_COUNTER_TYPE_DOUBLE);
    EXPECT_EQ(counter_info<hsa_ext_perf_counter_granularity_t>(i, HSA_EXT_PERF_COUNTER_INFO_GRANULARITY),
              HSA_EXT_PERF_COUNTER_GRANULARITY_PROCESS);
    EXPECT_FALSE(associations(i).empty()) << counter_name(i);
  }
  const uint32_t busy = of_kernel_agent("agent.busy_time");
  EXPECT_EQ(counter_info<hsa_ext_perf_counter_type_t>(busy, HSA_EXT_PERF_COUNTER_INFO_TYPE),
            HSA_EXT_PERF_COUNTER_TYPE_DOUBLE);
  EXPECT_EQ(counter_info<hsa_ext_perf_counter_value_type_t>(busy, HSA_EXT_PERF_COUNTER_INFO_VALUE_TYPE),
            HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS);
  EXPECT_TRUE(counter_info<bool>(busy, HSA_EXT_PERF_COUNTER_INFO_SUPPORTS_ASYNC));
  EXPECT_FALSE(
      counter_info<bool>(of_kernel_agent("agent.utilization"), HSA_EXT_PERF_COUNTER_INFO_SUPPORTS_ASYNC));
  const auto persistence = HSA_EXT_PERF_COUNTER_INFO_VALUE_PERSISTENCE;
  EXPECT_EQ(counter_info<hsa_ext_perf_counter_value_persistence_t>(busy, persistence),
            HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_RESETS);
  EXPECT_EQ(counter_info<hsa_ext_perf_counter_value_persistence_t>(of_kernel_agent("queues.waiting_packets"),
                                                                   persistence),
            HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_PERSISTS);
}

/// A counter of an agent, a region or the system has no other one of the same name.
TEST_F(PerformanceCounters, NamesAreUniqueForWhatTheyBelongTo) {
  std::set<std::pair<std::string, Association>> seen;
  for (uint32_t i = 0; i < counter_count(); ++i)
    EXPECT_TRUE(seen.insert({counter_name(i), associations(i).front()}).second) << counter_name(i);
}

TEST_F(PerformanceCounters, AgentsWithCountersSupportTheExtension) {
  for (hsa_agent_t agent : agents_) {
    bool counted = false, supported = false;
    for (uint32_t i = 0; i < counter_count(); ++i)
      counted |= belongs_to(i, {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, agent.handle});
    ASSERT_SUCCESS(
        hsa_agent_extension_supported(HSA_EXTENSION_PERFORMANCE_COUNTERS, agent, 1, 0, &supported));
    EXPECT_EQ(supported, counted);
  }
}

TEST_F(PerformanceCounters, QueriesNeedNoInitialization) {
  const uint32_t count = counter_count();
  ASSERT_SUCCESS(hsa_ext_perf_counter_shut_down());
  EXPECT_EQ(counter_count(), count);
  EXPECT_FALSE(counter_name(0).empty());
  EXPECT_FALSE(associations(0).empty());
  hsa_ext_perf_counter_session_ctx_t context{};
  EXPECT_EQ(hsa_ext_perf_counter_session_context_create(&context),
            HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_perf_counter_shut_down(), HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED);
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  EXPECT_EQ(hsa_ext_perf_counter_init(), HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED);
}

TEST_F(PerformanceCounters, ErrorsOfQueries) {
  const uint32_t count = counter_count();
  uint64_t value[64];
  EXPECT_EQ(hsa_ext_perf_counter_get_num(nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_perf_counter_get_info(0, HSA_EXT_PERF_COUNTER_INFO_TYPE, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_perf_counter_get_info(0, static_cast<hsa_ext_perf_counter_info_t>(9), value),
            invalid_argument);
  const auto callback = [](hsa_ext_perf_counter_assoc_t, uint64_t, void*) { return HSA_STATUS_INFO_BREAK; };
  EXPECT_EQ(hsa_ext_perf_counter_iterate_associations(0, callback, nullptr), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(hsa_ext_perf_counter_iterate_associations(0, nullptr, nullptr), invalid_argument);
  for (uint32_t index : {count, count + 1, UINT32_MAX}) {
    EXPECT_EQ(hsa_ext_perf_counter_get_info(index, HSA_EXT_PERF_COUNTER_INFO_TYPE, value), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_iterate_associations(index, callback, nullptr), invalid_index);
  }
  EXPECT_EQ(hsa_ext_perf_counter_session_context_create(nullptr), invalid_argument);
}

TEST_F(PerformanceCounters, ErrorsOfIndicesAndResults) {
  const uint32_t count = counter_count();
  const uint32_t copies = of_system("copies");
  CountedSession session{copies};
  const auto context = session.context();
  bool flag = false;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
  for (uint32_t index : {count, UINT32_MAX}) {
    EXPECT_EQ(hsa_ext_perf_counter_enable(context, index), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_disable(context, index), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_is_enabled(context, index, &flag), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_read_uint32(context, index, &u32), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_read_uint64(context, index, &u64), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_read_float(context, index, &f32), invalid_index);
    EXPECT_EQ(hsa_ext_perf_counter_read_double(context, index, &f64), invalid_index);
  }
  EXPECT_EQ(hsa_ext_perf_counter_is_enabled(context, 0, nullptr), invalid_argument);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_valid(context, nullptr), invalid_argument);
  auto same = context;
  EXPECT_EQ(hsa_ext_perf_counter_session_context_set_valid(nullptr, 1, &flag), invalid_argument);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_set_valid(&same, 1, nullptr), invalid_argument);
  session.enable();
  EXPECT_EQ(hsa_ext_perf_counter_read_uint64(context, copies, nullptr), invalid_argument);
}

/// Each counter can be read with the function of its type, and with no other one.
TEST_F(PerformanceCounters, ReadsMustHaveTheTypeOfTheCounter) {
  const struct {
    uint32_t counter;
    hsa_ext_perf_counter_type_t type;
  } counters[] = {{of_kernel_agent("queues.waiting_packets"), HSA_EXT_PERF_COUNTER_TYPE_UINT32},
                  {of_system("copies"), HSA_EXT_PERF_COUNTER_TYPE_UINT64},
                  {of_kernel_agent("agent.utilization"), HSA_EXT_PERF_COUNTER_TYPE_FLOAT},
                  {of_kernel_agent("agent.busy_time"), HSA_EXT_PERF_COUNTER_TYPE_DOUBLE}};
  CountedSession session{counters[0].counter, counters[1].counter, counters[2].counter, counters[3].counter};
  session.enable_and_start();
  session.stop();
  for (const auto& [counter, type] : counters) {
    EXPECT_EQ(counter_info<hsa_ext_perf_counter_type_t>(counter, HSA_EXT_PERF_COUNTER_INFO_TYPE), type);
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    const auto expected = [&](hsa_ext_perf_counter_type_t of) {
      return of == type ? HSA_STATUS_SUCCESS : invalid_argument;
    };
    const auto context = session.context();
    EXPECT_EQ(hsa_ext_perf_counter_read_uint32(context, counter, &u32),
              expected(HSA_EXT_PERF_COUNTER_TYPE_UINT32));
    EXPECT_EQ(hsa_ext_perf_counter_read_uint64(context, counter, &u64),
              expected(HSA_EXT_PERF_COUNTER_TYPE_UINT64));
    EXPECT_EQ(hsa_ext_perf_counter_read_float(context, counter, &f32),
              expected(HSA_EXT_PERF_COUNTER_TYPE_FLOAT));
    EXPECT_EQ(hsa_ext_perf_counter_read_double(context, counter, &f64),
              expected(HSA_EXT_PERF_COUNTER_TYPE_DOUBLE));
  }
}

TEST_F(PerformanceCounters, ContextsThatDoNotExist) {
  hsa_ext_perf_counter_session_ctx_t destroyed{};
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_create(&destroyed));
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_destroy(destroyed));
  std::vector<uint64_t> handles(std::begin(garbage_handles), std::end(garbage_handles));
  handles.push_back(destroyed.handle);
  bool flag;
  uint64_t u64;
  for (uint64_t handle : handles) {
    hsa_ext_perf_counter_session_ctx_t context{handle};
    EXPECT_EQ(hsa_ext_perf_counter_session_context_destroy(context), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_enable(context, 0), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_disable(context, 0), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_is_enabled(context, 0, &flag), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_context_valid(context, &flag), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_context_set_valid(&context, 1, &flag), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_enable(context), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_disable(context), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_start(context), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), invalid_argument);
    EXPECT_EQ(hsa_ext_perf_counter_read_uint64(context, 0, &u64), invalid_argument);
  }
}

TEST_F(PerformanceCounters, CountersAreEnabledAndDisabled) {
  const uint32_t copies = of_system("copies"), bytes = of_system("copies.bytes");
  CountedSession session{copies, copies};  // the second time has no effect
  bool enabled = false;
  EXPECT_SUCCESS(hsa_ext_perf_counter_is_enabled(session.context(), copies, &enabled));
  EXPECT_TRUE(enabled);
  EXPECT_SUCCESS(hsa_ext_perf_counter_is_enabled(session.context(), bytes, &enabled));
  EXPECT_FALSE(enabled);
  for (int i = 0; i < 2; ++i) EXPECT_SUCCESS(hsa_ext_perf_counter_disable(session.context(), copies));
  EXPECT_SUCCESS(hsa_ext_perf_counter_is_enabled(session.context(), copies, &enabled));
  EXPECT_FALSE(enabled);
}

TEST_F(PerformanceCounters, EveryOperationInEveryState) {
  const uint32_t copies = of_system("copies"), utilization = of_kernel_agent("agent.utilization");
  CountedSession session{copies, utilization};
  const auto context = session.context();
  const auto read = [&] {
    uint64_t value;
    return hsa_ext_perf_counter_read_uint64(context, copies, &value);
  };
  const auto read_when_stopped = [&] {
    float value;
    return hsa_ext_perf_counter_read_float(context, utilization, &value);
  };
  const auto expect_no_changes = [&] {
    EXPECT_EQ(hsa_ext_perf_counter_enable(context, 0), invalid_state);
    EXPECT_EQ(hsa_ext_perf_counter_disable(context, 0), invalid_state);
    EXPECT_EQ(hsa_ext_perf_counter_session_enable(context), invalid_state);
  };
  // Disabled.
  EXPECT_EQ(hsa_ext_perf_counter_session_start(context), invalid_state);
  EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), invalid_state);
  EXPECT_EQ(hsa_ext_perf_counter_session_disable(context), invalid_state);
  EXPECT_EQ(read(), invalid_sampling);
  // Enabled.
  session.enable();
  expect_no_changes();
  EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), invalid_state);
  EXPECT_SUCCESS(read());
  EXPECT_EQ(read_when_stopped(), invalid_sampling);
  // Running.
  session.start();
  expect_no_changes();
  EXPECT_EQ(hsa_ext_perf_counter_session_start(context), invalid_state);
  EXPECT_SUCCESS(read());
  EXPECT_EQ(read_when_stopped(), invalid_sampling);
  // Stopped.
  session.stop();
  session.stop();
  expect_no_changes();
  EXPECT_SUCCESS(read());
  EXPECT_SUCCESS(read_when_stopped());
  session.start();
  session.stop();
  // Disabled again, from the states stopped, running and enabled.
  session.disable();
  EXPECT_EQ(hsa_ext_perf_counter_session_disable(context), invalid_state);
  EXPECT_EQ(read(), invalid_sampling);
  session.enable_and_start();
  session.disable();
  session.enable();
  session.disable();
  EXPECT_SUCCESS(hsa_ext_perf_counter_disable(context, copies));
}

TEST_F(PerformanceCounters, ACounterThatIsNotInTheSessionCannotBeRead) {
  CountedSession session{of_system("copies")};
  session.enable_and_start();
  uint64_t value;
  EXPECT_EQ(hsa_ext_perf_counter_read_uint64(session.context(), of_system("copies.bytes"), &value),
            invalid_sampling);
}

TEST_F(PerformanceCounters, AllCountersCanBeCountedTogether) {
  std::vector<uint32_t> all(counter_count());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  CountedSession one(all), other(all), none(std::vector<uint32_t>{});
  hsa_ext_perf_counter_session_ctx_t contexts[] = {one.context(), other.context(), none.context()};
  bool valid = false;
  EXPECT_SUCCESS(hsa_ext_perf_counter_session_context_valid(one.context(), &valid));
  EXPECT_TRUE(valid);
  valid = false;
  EXPECT_SUCCESS(hsa_ext_perf_counter_session_context_valid(none.context(), &valid));
  EXPECT_TRUE(valid);
  valid = false;
  EXPECT_SUCCESS(hsa_ext_perf_counter_session_context_set_valid(contexts, 3, &valid));
  EXPECT_TRUE(valid);
  for (CountedSession* session : {&one, &other, &none}) session->enable_and_start();
  for (CountedSession* session : {&none, &one, &other}) session->stop();
}

TEST_F(PerformanceCounters, ShutDownEndsAllSessions) {
  hsa_ext_perf_counter_session_ctx_t context{};
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_create(&context));
  ASSERT_SUCCESS(hsa_ext_perf_counter_enable(context, of_system("copies")));
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_enable(context));
  ASSERT_SUCCESS(hsa_ext_perf_counter_session_start(context));
  ASSERT_SUCCESS(hsa_ext_perf_counter_shut_down());
  EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), invalid_argument);
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), invalid_argument);
}

TEST_F(PerformanceCounters, CopiesAreCountedExactly) {
  const uint32_t copies = of_system("copies"), bytes = of_system("copies.bytes");
  std::vector<char> from(1000), to(1000);
  CountedSession session{copies, bytes};
  session.enable();
  EXPECT_SUCCESS(hsa_memory_copy(to.data(), from.data(), 7));  // not started yet
  EXPECT_EQ(session.number(copies), 0u);
  session.start();
  EXPECT_SUCCESS(hsa_memory_copy(to.data(), from.data(), 100));
  EXPECT_SUCCESS(hsa_memory_copy(to.data(), from.data(), 0));  // nothing is copied
  EXPECT_EQ(session.number(copies), 1u);
  EXPECT_EQ(session.number(bytes), 100u);
  hsa_location_t destinations[] = {{{0}, to.data()}, {{0}, to.data() + 500}};
  const hsa_signal_t done = signal(1);
  EXPECT_SUCCESS(hsa_memory_copy_multiple(2, 300, destinations, {{0}, from.data()}, nullptr, {0}, done));
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  EXPECT_EQ(session.number(copies), 3u);
  EXPECT_EQ(session.number(bytes), 700u);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
  session.stop();
  EXPECT_SUCCESS(hsa_memory_copy(to.data(), from.data(), 9));
  EXPECT_EQ(session.number(bytes), 700u);
  session.start();  // the values go on
  EXPECT_SUCCESS(hsa_memory_copy(to.data(), from.data(), 11));
  session.stop();
  EXPECT_EQ(session.number(copies), 4u);
  EXPECT_EQ(session.number(bytes), 711u);
  session.disable();
  session.enable();  // the values begin anew
  EXPECT_EQ(session.number(copies), 0u);
  EXPECT_EQ(session.number(bytes), 0u);
}

TEST_F(PerformanceCounters, AllocationsAreCountedForTheirRegion) {
  const hsa_region_t fine = fine_region(), coarse = coarse_region();
  const auto find = [](const char* name, hsa_region_t region) {
    return find_counter(name, {HSA_EXT_PERF_COUNTER_ASSOC_MEMORY_NODE, region.handle});
  };
  const uint32_t allocated = find("memory.allocated", fine), freed = find("memory.freed", fine);
  const uint32_t elsewhere = find("memory.allocated", coarse);
  CountedSession session{allocated, freed, elsewhere};
  const auto granule = region_info<size_t>(fine, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE);
  session.enable_and_start();
  void* blocks[2] = {};
  ASSERT_SUCCESS(hsa_memory_allocate(fine, 3 * granule, &blocks[0]));
  ASSERT_SUCCESS(hsa_memory_allocate(fine, 1 << 20, &blocks[1]));
  EXPECT_GE(session.number(allocated), 3 * granule + (1 << 20));
  EXPECT_EQ(session.number(freed), 0u);
  for (void* block : blocks) EXPECT_SUCCESS(hsa_memory_free(block));
  EXPECT_EQ(session.number(freed), session.number(allocated));
  EXPECT_EQ(session.number(elsewhere), 0u);
}

TEST_F(PerformanceCounters, ThreadsCountTogether) {
  constexpr int threads = 4, rounds = 500;
  const uint32_t copies = of_system("copies"), bytes = of_system("copies.bytes");
  CountedSession session{copies, bytes};
  session.enable_and_start();
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      char from[16] = {}, to[16];
      for (int round = 0; round < rounds; ++round) {
        EXPECT_SUCCESS(hsa_memory_copy(to, from, 1 + i));
        if (round % 50 != 0) continue;
        CountedSession own{copies};  // other sessions begin and end meanwhile
        own.enable_and_start();
        EXPECT_SUCCESS(hsa_memory_copy(to, from, 1 + i));
        EXPECT_GE(own.number(copies), 1u);
        own.stop();
      }
    });
  for (std::thread& thread : running) thread.join();
  constexpr uint64_t each = rounds + rounds / 50;
  EXPECT_EQ(session.number(copies), threads * each);
  EXPECT_EQ(session.number(bytes), each * (1 + 2 + 3 + 4));
}

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

TEST_F(PerformanceCounters, TheSystemCountsProcessorTimeOfAllThreads) {
  const uint32_t time = of_host("processor.time");
  if (time == no_counter) GTEST_SKIP() << "perf_event_open is not allowed";
  CountedSession session{time};
  session.enable();
  const auto work = [] {
    const double end = processor_milliseconds() + 50;
    while (processor_milliseconds() < end) {
    }
  };
  const double before = processor_milliseconds();
  session.start();
  const double started = processor_milliseconds();
  std::thread other(work);
  other.join();
  const double ending = processor_milliseconds();
  session.stop();
  const double after = processor_milliseconds();
  // The system's two accounts of processor time differ by what each switch of threads costs, and in virtual
  // machines by what the host takes away meanwhile. A time that counts twice is more than that.
  EXPECT_GE(session.real(time), 0.9 * (ending - started));
  EXPECT_LE(session.real(time), 1.5 * (after - before) + 1);
}

TEST_F(PerformanceCounters, TheSystemCountsPageFaults) {
  const uint32_t faults = of_host("processor.page_faults");
  if (faults == no_counter) GTEST_SKIP() << "perf_event_open is not allowed";
  constexpr size_t pages = 100, page = 4096;
  void* memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(madvise(memory, pages * page, MADV_NOHUGEPAGE), 0);
  CountedSession session{faults};
  session.enable_and_start();
  for (size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  session.stop();
  EXPECT_GE(session.number(faults), pages);
  munmap(memory, pages * page);
}

/// A hardware counter needs descriptors, of which a process may have used up all.
TEST_F(PerformanceCounters, ACounterWithoutDescriptorsCannotBeEnabled) {
  const uint32_t time = of_host("processor.time");
  if (time == no_counter) GTEST_SKIP() << "perf_event_open is not allowed";
  CountedSession session{time};
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{3, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(hsa_ext_perf_counter_session_enable(session.context()), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(hsa_ext_perf_counter_session_start(session.context()), invalid_state);
  session.enable_and_start();
}

TEST_F(PerformanceCounters, TheTableHasTheFunctions) {
  hsa_ext_perf_counter_1_pfn_t table{}, same{};
  ASSERT_SUCCESS(
      hsa_system_get_major_extension_table(HSA_EXTENSION_PERFORMANCE_COUNTERS, 1, sizeof table, &table));
  EXPECT_EQ(table.hsa_ext_perf_counter_init, hsa_ext_perf_counter_init);
  EXPECT_EQ(table.hsa_ext_perf_counter_session_start, hsa_ext_perf_counter_session_start);
  EXPECT_EQ(table.hsa_ext_perf_counter_read_double, hsa_ext_perf_counter_read_double);
  ASSERT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_PERFORMANCE_COUNTERS, 1, 0, &same));
  EXPECT_EQ(std::memcmp(&table, &same, sizeof table), 0);
}

TEST(PerformanceCountersWithoutRuntime, EveryFunctionSaysSo) {
  constexpr auto missing = HSA_STATUS_ERROR_NOT_INITIALIZED;
  hsa_ext_perf_counter_session_ctx_t context{};
  bool flag;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
  EXPECT_EQ(hsa_ext_perf_counter_init(), missing);
  EXPECT_EQ(hsa_ext_perf_counter_shut_down(), missing);
  EXPECT_EQ(hsa_ext_perf_counter_get_num(&u32), missing);
  EXPECT_EQ(hsa_ext_perf_counter_get_info(0, HSA_EXT_PERF_COUNTER_INFO_TYPE, &u32), missing);
  EXPECT_EQ(hsa_ext_perf_counter_iterate_associations(0, nullptr, nullptr), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_create(&context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_destroy(context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_enable(context, 0), missing);
  EXPECT_EQ(hsa_ext_perf_counter_disable(context, 0), missing);
  EXPECT_EQ(hsa_ext_perf_counter_is_enabled(context, 0, &flag), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_valid(context, &flag), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_context_set_valid(&context, 1, &flag), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_enable(context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_disable(context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_start(context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_session_stop(context), missing);
  EXPECT_EQ(hsa_ext_perf_counter_read_uint32(context, 0, &u32), missing);
  EXPECT_EQ(hsa_ext_perf_counter_read_uint64(context, 0, &u64), missing);
  EXPECT_EQ(hsa_ext_perf_counter_read_float(context, 0, &f32), missing);
  EXPECT_EQ(hsa_ext_perf_counter_read_double(context, 0, &f64), missing);
}

}  // namespace
}  // namespace heddle::runtime::test
