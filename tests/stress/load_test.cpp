// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many queues, producers and signals.
#include <atomic>
#include <set>
#include <thread>

#include "../runtime/kernels.h"
#include "stress.h"

namespace heddle::stress {
namespace {

class Load : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_SUCCESS(hsa_init()); }
  void TearDown() override { EXPECT_SUCCESS(hsa_shut_down()); }
};

/// Runs `body(number)` on so many threads at once.
template <typename Body>
void on_threads(unsigned count, Body body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back([&, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

/// Queues of both agents come and go while others work. Half of them are destroyed with packets that wait for
/// a signal that never comes.
TEST_F(Load, QueuesComeAndGo) {
  const uint64_t queues = size(400, 10'000);
  constexpr unsigned threads = 8;
  constexpr int packets = 20;
  const hsa_signal_t never = signal(1);
  std::atomic<uint64_t> next{0}, completed{0};
  const Clock clock;
  const Use before = use_of_process();
  std::atomic<bool> ended{false};
  // The load: two queues that always have work.
  std::thread load([&] {
    const hsa_signal_t done = signal(0);
    hsa_queue_t* busy[] = {queue(agent(Kind::cpu), 256), queue(agent(Kind::null), 256)};
    const auto packet = barrier({0}, done);
    while (!ended.load())
      for (hsa_queue_t* q : busy) submit(q, &packet);
    for (hsa_queue_t* q : busy) EXPECT_SUCCESS(hsa_queue_destroy(q));
    EXPECT_SUCCESS(hsa_signal_destroy(done));
  });
  on_threads(threads, [&](unsigned) {
    for (uint64_t number; (number = next.fetch_add(1)) < queues;) {
      hsa_queue_t* made = queue(agent(number % 2 == 0 ? Kind::cpu : Kind::null), 64);
      if (made == nullptr) return;
      const hsa_signal_t done = signal(packets);
      const auto packet = barrier({0}, done);
      for (int i = 0; i < packets; ++i) submit(made, &packet);
      wait_for(done, 0);
      completed.fetch_add(packets);
      if (number % 4 < 2) {
        const auto stuck = barrier(never, done);
        for (int i = 0; i < packets; ++i) submit(made, &stuck);
      }
      EXPECT_SUCCESS(hsa_queue_destroy(made));
      EXPECT_EQ(hsa_signal_load_scacquire(done), 0) << "a packet of a destroyed queue completed";
      EXPECT_SUCCESS(hsa_signal_destroy(done));
    }
  });
  ended = true;
  load.join();
  EXPECT_EQ(completed.load(), queues * packets);
  EXPECT_SUCCESS(hsa_signal_destroy(never));
  const Use after = use_of_process();
  EXPECT_EQ(after.files, before.files);
  note(std::to_string(queues) + " queues in " + std::to_string(clock.seconds()) + " s, " +
       std::to_string(before.resident_kib) + " KiB resident before and " +
       std::to_string(after.resident_kib) + " after");
}

/// Every packet of every producer completes exactly once, in rings that are much smaller than their number.
TEST_F(Load, ManyProducersShareAQueue) {
  constexpr unsigned producers = 64;
  const auto each = static_cast<int64_t>(size(200, 20'000));
  for (const Kind kind : {Kind::cpu, Kind::null}) {
    const runtime::test::Kernels kernels(agent(kind),
                                         "module &m:1:2:$full:$large:$near;\nprog kernel &empty() {};\n");
    hsa_queue_t* shared = queue(agent(kind), 64);
    std::vector<hsa_signal_t> counts(producers);
    for (hsa_signal_t& count : counts) count = signal(each);
    const Clock clock;
    on_threads(producers, [&](unsigned i) {
      const auto packet = barrier({0}, counts[i]);
      auto dispatch = kernels.packet("&empty", 1, 1);
      dispatch.completion_signal = counts[i];
      for (int64_t n = 0; n < each; ++n) n % 2 == 0 ? submit(shared, &dispatch) : submit(shared, &packet);
    });
    for (hsa_signal_t count : counts) wait_for(count, 0);
    const double seconds = clock.seconds();
    EXPECT_EQ(hsa_queue_load_read_index_scacquire(shared), producers * static_cast<uint64_t>(each));
    note(std::to_string(producers) + " producers, " + std::to_string(producers * each) + " packets in " +
         std::to_string(seconds) + " s, every second a dispatch, on the " +
         (kind == Kind::cpu ? "cpu" : "null") + " agent");
    EXPECT_SUCCESS(hsa_queue_destroy(shared));
    for (hsa_signal_t count : counts) {
      EXPECT_EQ(hsa_signal_load_scacquire(count), 0);
      EXPECT_SUCCESS(hsa_signal_destroy(count));
    }
  }
}

TEST_F(Load, ManySignalsLive) {
  const auto number = static_cast<int64_t>(size(50'000, 1'000'000));
  std::vector<hsa_signal_t> signals(static_cast<size_t>(number));
  const Use before = use_of_process();
  const Clock clock;
  for (int64_t i = 0; i < number; ++i) signals[static_cast<size_t>(i)] = signal(i);
  const double made = clock.seconds();
  const Use during = use_of_process();
  for (hsa_signal_t s : signals) hsa_signal_add_relaxed(s, 1);
  std::set<uint64_t> different;
  for (int64_t i = 0; i < number; ++i) {
    ASSERT_EQ(hsa_signal_load_relaxed(signals[static_cast<size_t>(i)]), i + 1);
    different.insert(signals[static_cast<size_t>(i)].handle);
  }
  EXPECT_EQ(different.size(), signals.size());
  // Somebody waits for the last one.
  std::thread sender([&] { hsa_signal_store_screlease(signals.back(), -1); });
  wait_for(signals.back(), -1);
  sender.join();
  const Clock ending;
  for (hsa_signal_t s : signals) ASSERT_SUCCESS(hsa_signal_destroy(s));
  for (hsa_signal_t s : signals) ASSERT_EQ(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL);
  note(std::to_string(number) + " signals made in " + std::to_string(made) + " s, destroyed in " +
       std::to_string(ending.seconds()) + " s, with " +
       std::to_string((during.resident_kib - before.resident_kib) * 1024 / static_cast<size_t>(number)) +
       " bytes of memory each");
}

}  // namespace
}  // namespace heddle::stress
