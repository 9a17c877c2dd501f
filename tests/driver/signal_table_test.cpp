// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/signal_table.h"

#include <hsam/signal.h>

#include <thread>

#include "fixture.h"

namespace heddle::driver {
namespace {

using namespace test;

struct SignalTableTest : ClientTest {
  SignalTable& table = SignalTable::instance();
};

TEST_F(SignalTableTest, tells_kinds_apart) {
  const Agent* destination[] = {second};
  hsam_signal* doorbell = table.create(0, SignalTable::Kind::doorbell, 1, destination);
  ASSERT_NE(doorbell, nullptr);
  uint64_t handle = reinterpret_cast<uintptr_t>(doorbell);
  EXPECT_EQ(table.kind(handle), SignalTable::Kind::doorbell);
  EXPECT_TRUE(doorbell->flags & HSAM_SIGNAL_DOORBELL);
  EXPECT_EQ(table.find(doorbell->object), doorbell);
  EXPECT_EQ(client->destroy_signal({handle}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_FALSE(table.destroy(handle, SignalTable::Kind::application));
  EXPECT_TRUE(table.destroy(handle, SignalTable::Kind::doorbell));
  EXPECT_EQ(table.find(doorbell->object), nullptr);
}

TEST_F(SignalTableTest, stale_handles_rest_before_they_are_used_again) {
  const Agent* destination[] = {second};
  hsam_signal* gone = table.create(0, SignalTable::Kind::application, 1, destination);
  uint32_t generation = gone->flags;
  table.destroy(reinterpret_cast<uintptr_t>(gone), SignalTable::Kind::application);
  bool reused = false;
  for (int i = 0; i < 5000; ++i) {
    hsam_signal* next = table.create(0, SignalTable::Kind::application, 1, destination);
    if (next == gone) {
      reused = true;
      EXPECT_GT(i, 500);
      EXPECT_NE(next->flags, generation);
    }
    table.destroy(reinterpret_cast<uintptr_t>(next), SignalTable::Kind::application);
  }
  EXPECT_TRUE(reused);
}

// A sender may still read the slot of a destroyed signal while a new signal fills it. ThreadSanitizer reports
// stores to the slot that race with these reads. The sender here reads everything that a send reads but
// changes nothing, because a read-modify-write of the value would order the reads after the stores and so
// hide the races from ThreadSanitizer.
TEST_F(SignalTableTest, late_senders_may_read_what_is_filled_anew) {
  const Agent* destination[] = {second};
  hsam_signal* late = table.create(0, SignalTable::Kind::application, 1, destination);
  table.destroy(reinterpret_cast<uintptr_t>(late), SignalTable::Kind::application);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> looks{0};
  std::thread sender([&] {
    while (!stop) {
      (void)hsam_signal_load_relaxed(late);
      (void)__atomic_load_n(&late->flags, __ATOMIC_RELAXED);
      (void)__atomic_load_n(&late->waiters, __ATOMIC_RELAXED);
      (void)__atomic_load_n(&late->attached, __ATOMIC_RELAXED);
      (void)__atomic_load_n(&late->start_timestamp, __ATOMIC_RELAXED);
      (void)__atomic_load_n(&late->end_timestamp, __ATOMIC_RELAXED);
      hsam_signal_ring_destinations(late);  // reads the object and its roots, which have no doorbell
      ++looks;
    }
  });
  bool reused = false;
  for (int i = 0; i < 5000; ++i) {
    hsam_signal* next = table.create(0, SignalTable::Kind::application, 1, destination);
    table.destroy(reinterpret_cast<uintptr_t>(next), SignalTable::Kind::application);
    if (next != late) continue;
    reused = true;
    // The current iteration of the sender may have read the slot already, so a whole one has to follow.
    for (const uint64_t seen = looks; looks < seen + 2;) std::this_thread::yield();
  }
  stop = true;
  sender.join();
  EXPECT_TRUE(reused);
}

// A program may destroy a completion signal as soon as its wait ends, while the sender has not yet finished
// its operation on the signal.
TEST_F(SignalTableTest, destruction_right_after_the_wait_is_safe) {
  constexpr int count = 5000;
  std::atomic<uint64_t> mailbox{0};
  const Agent* destination[] = {second};
  std::thread sender([&] {
    for (int i = 0; i < count; ++i) {
      uint64_t handle;
      while ((handle = mailbox.exchange(0)) == 0) std::this_thread::yield();
      hsam_signal_subtract_screlease(reinterpret_cast<hsam_signal*>(handle), 1);
    }
  });
  for (int i = 0; i < count; ++i) {
    hsam_signal* signal = table.create(1, SignalTable::Kind::application, 1, destination);
    ASSERT_NE(signal, nullptr);
    mailbox.store(reinterpret_cast<uintptr_t>(signal));
    EXPECT_EQ(hsam_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, 10 * HSAM_TIMESTAMP_FREQUENCY,
                                         i % 2 ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED),
              0);
    ASSERT_TRUE(table.destroy(reinterpret_cast<uintptr_t>(signal), SignalTable::Kind::application));
  }
  sender.join();
}

TEST_F(SignalTableTest, threads_create_and_destroy_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Agent* consumers[] = {second};
      for (int i = 0; i < 2000; ++i) {
        auto signal = t == 0 ? client->create_signal(i, {}) : client->create_signal(i, consumers);
        if (!signal || hsam_signal_load_relaxed(reinterpret_cast<hsam_signal*>(signal->handle)) != i ||
            client->destroy_signal(*signal) != HSA_STATUS_SUCCESS)
          ++failures;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace heddle::driver
