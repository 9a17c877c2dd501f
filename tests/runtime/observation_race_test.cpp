// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters and events while many threads work, begin to observe and cease to. ThreadSanitizer runs these
// tests, too; they need no finalizer.
#include <atomic>
#include <cstring>
#include <thread>

#include "counters.h"
#include "events.h"

namespace heddle::runtime::test {
namespace {

/// Puts a barrier packet without dependencies into a queue, and waits until it has completed.
void pass_barrier(hsa_queue_t* queue) {
  hsa_signal_t done{};
  EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  auto* slot = static_cast<hsa_barrier_and_packet_t*>(queue->base_address) + index % queue->size;
  std::memset(reinterpret_cast<char*>(slot) + 4, 0, sizeof *slot - 4);
  slot->completion_signal = done;
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), uint32_t{HSA_PACKET_TYPE_BARRIER_AND},
                   __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_ACTIVE) !=
         0) {
  }
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

class ObservationRaces : public Runtime {
 protected:
  static constexpr int workers = 3, rounds = 200;

  /// Runs threads that use a queue of their own, signals and memory, and `observer` meanwhile.
  template <typename Observer>
  void observe_work(Observer observer) {
    std::atomic<int> working{workers};
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i)
      threads.emplace_back([&] {
        hsa_queue_t* own = queue();
        char from[8] = {}, to[8];
        for (int round = 0; round < rounds; ++round) {
          pass_barrier(own);
          EXPECT_SUCCESS(hsa_memory_copy(to, from, sizeof from));
          void* block = nullptr;
          EXPECT_SUCCESS(hsa_memory_allocate(fine_region(), 64, &block));
          EXPECT_SUCCESS(hsa_memory_free(block));
        }
        EXPECT_SUCCESS(hsa_queue_destroy(own));
        --working;
      });
    observer([&] { return working != 0; });
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(ObservationRaces, SessionsComeAndGo) {
  ASSERT_SUCCESS(hsa_ext_perf_counter_init());
  const uint32_t packets =
      find_counter("packets.barrier_and", {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, kernel_agent_.handle});
  const uint32_t waiting =
      find_counter("queues.waiting_packets", {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, kernel_agent_.handle});
  const uint32_t copies = find_counter("copies", {HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0});
  {
    CountedSession whole{packets, copies};
    whole.enable_and_start();
    observe_work([&](auto goes_on) {
      while (goes_on()) {
        CountedSession part{packets, waiting, copies};
        part.enable_and_start();
        uint32_t state = 0;
        EXPECT_SUCCESS(hsa_ext_perf_counter_read_uint32(part.context(), waiting, &state));
        EXPECT_LE(state, 1u * workers);
        part.stop();
        EXPECT_LE(part.number(packets), whole.number(packets));
      }
    });
    EXPECT_EQ(whole.number(packets), 1u * workers * rounds);
    EXPECT_EQ(whole.number(copies), 1u * workers * rounds);
  }
  EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
}

TEST_F(ObservationRaces, EventsAreRetrievedMeanwhile) {
  constexpr uint32_t types = HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT | HSA_EXT_PROFILE_EVENT_PRODUCER_MEMORY |
                             HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL |
                             HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API;
  ASSERT_SUCCESS(
      hsa_ext_profile_event_init_all_of_producer_type(static_cast<hsa_ext_profile_event_producer_t>(types)));
  ASSERT_SUCCESS(hsa_ext_profile_event_init());
  std::map<std::string, int> seen;
  const auto take = [&] {
    for (const ProfileEvent& event : take_events()) ++seen[event.name];
  };
  observe_work([&](auto goes_on) {
    while (goes_on()) {
      // What is disabled here has no other producers that count below.
      EXPECT_SUCCESS(
          hsa_ext_profile_event_disable_for_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API, 0));
      EXPECT_SUCCESS(
          hsa_ext_profile_event_enable_for_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API, 0));
      take();
    }
  });
  take();
  constexpr int all = workers * rounds;
  EXPECT_EQ(seen["packet"], all);
  EXPECT_EQ(seen["creation"], all);
  EXPECT_EQ(seen["destruction"], all);
  EXPECT_EQ(seen["wait.begin"], seen["wait.end"]);
  EXPECT_GE(seen["wait.end"], all);
  EXPECT_EQ(seen["allocation"], all);
  EXPECT_EQ(seen["release"], all);
  EXPECT_EQ(seen["call.begin"], seen["call.end"]);
  EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
}

/// The last hsa_shut_down ends sessions and the collection of events by itself.
TEST(ObservationRacesAtTheEnd, ShutDownEndsObservation) {
  for (int round = 0; round < 10; ++round) {
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_ext_profile_event_init_all_of_producer_type(HSA_EXT_PROFILE_EVENT_PRODUCER_SIGNAL));
    ASSERT_SUCCESS(hsa_ext_profile_event_init());
    ASSERT_SUCCESS(hsa_ext_perf_counter_init());
    hsa_ext_perf_counter_session_ctx_t context{};
    ASSERT_SUCCESS(hsa_ext_perf_counter_session_context_create(&context));
    for (uint32_t i = 0; i < counter_count(); ++i) EXPECT_SUCCESS(hsa_ext_perf_counter_enable(context, i));
    ASSERT_SUCCESS(hsa_ext_perf_counter_session_enable(context));
    ASSERT_SUCCESS(hsa_ext_perf_counter_session_start(context));
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    hsa_queue_t* queue = nullptr;
    ASSERT_SUCCESS(hsa_queue_create(agents[1], 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                                    UINT32_MAX, &queue));
    for (int i = 0; i < 5; ++i) pass_barrier(queue);
    ASSERT_SUCCESS(hsa_shut_down());
  }
}

}  // namespace
}  // namespace heddle::runtime::test
