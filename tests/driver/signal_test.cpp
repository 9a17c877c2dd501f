// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signal operations of include/hsam/signal.h, on blocks owned by the test.
#include <gtest/gtest.h>
#include <hsam/signal.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t millisecond = HSAM_TIMESTAMP_FREQUENCY / 1000;
constexpr uint64_t forever = UINT64_MAX;

// More rounds under sanitizers would take longer without testing more.
#ifdef HEDDLE_SANITIZED
constexpr int64_t rounds = 2000;
#else
constexpr int64_t rounds = 20000;
#endif

struct alignas(64) Signal {
  hsam_signal block{};
  struct {
    hsa_signal_object object;
    hsa_root_dest_node second;
  } objects{};

  explicit Signal(int64_t value = 0, uint32_t destinations = 1) {
    block.value = value;
    block.object = &objects.object;
    objects.object.signal_value_ptr = reinterpret_cast<uint64_t*>(&block.value);
    objects.object.number_of_dests = destinations;
    for (uint32_t i = 0; i < destinations; ++i) root(i)->flags = uint64_t{i + 1} << HSAM_ROOT_DRIVER_ID_SHIFT;
  }
  operator hsam_signal*() { return &block; }
  hsa_root_dest_node* root(uint32_t i = 0) {
    return i == 0 ? objects.object.root_dest_array : &objects.second;
  }
};

int64_t wait_eq(hsam_signal* signal, int64_t value, uint64_t timeout = forever) {
  return hsam_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, timeout, HSA_WAIT_STATE_BLOCKED);
}

/// Waits until `count` threads are registered on the signal.
void until_waiting(hsam_signal* signal, uint32_t count) {
  while (__atomic_load_n(&signal->waiters, __ATOMIC_SEQ_CST) != count) std::this_thread::yield();
}

/// Reports whether the only registered waiter has been woken.
bool waiter_is_hit(hsam_signal* signal) {
  hsam_signal_lock(signal);
  bool hit = signal->wait_records == nullptr || signal->wait_records->hit != 0;
  hsam_signal_unlock(signal);
  return hit;
}

TEST(Signal, block_has_its_layout) {
  static_assert(sizeof(hsam_signal) == 64 && offsetof(hsam_signal, value) == 0);
  static_assert(sizeof(hsa_root_dest_node) == 32 && sizeof(hsa_destination_node) == 32);
  static_assert(sizeof(hsa_group_node) == 40 && sizeof(hsa_signal_group_destination) == 16);
  static_assert(offsetof(hsa_signal_object, root_dest_array) == 16);
  static_assert(sizeof(hsa_user_mode_queue) == 64 && offsetof(hsa_user_mode_queue, write_index_ptr) == 48 &&
                offsetof(hsa_user_mode_queue, read_index_ptr) == 56);
}

TEST(Signal, operations_change_the_value_and_return_the_old_one) {
  Signal s(10);
  EXPECT_EQ(hsam_signal_add_relaxed(s, 5), 10);
  EXPECT_EQ(hsam_signal_subtract_screlease(s, 20), 15);
  EXPECT_EQ(hsam_signal_load_scacquire(s), -5);
  EXPECT_EQ(hsam_signal_exchange_scacquire(s, 0xf0), -5);
  EXPECT_EQ(hsam_signal_and_relaxed(s, 0x3c), 0xf0);
  EXPECT_EQ(hsam_signal_or_relaxed(s, 0x03), 0x30);
  EXPECT_EQ(hsam_signal_xor_scacq_screl(s, 0x11), 0x33);
  EXPECT_EQ(hsam_signal_load_relaxed(s), 0x22);
  EXPECT_EQ(hsam_signal_cas_relaxed(s, 1, 2), 0x22);
  EXPECT_EQ(hsam_signal_load_relaxed(s), 0x22);
  EXPECT_EQ(hsam_signal_cas_relaxed(s, 0x22, 2), 0x22);
  EXPECT_EQ(hsam_signal_load_relaxed(s), 2);
  hsam_signal_silent_store_relaxed(s, 7);
  EXPECT_EQ(hsam_signal_load_relaxed(s), 7);
  hsam_signal_store_screlease(s, INT64_MAX);
  hsam_signal_add_relaxed(s, 1);  // wraps
  EXPECT_EQ(hsam_signal_load_relaxed(s), INT64_MIN);
}

TEST(Signal, wait_ends_for_each_condition) {
  struct Case {
    hsa_signal_condition_t condition;
    int64_t compare, met, missed;
  };
  for (Case c : {Case{HSA_SIGNAL_CONDITION_EQ, 3, 3, 4}, Case{HSA_SIGNAL_CONDITION_NE, 3, 4, 3},
                 Case{HSA_SIGNAL_CONDITION_LT, 3, -4, 3}, Case{HSA_SIGNAL_CONDITION_GTE, 3, 3, 2}}) {
    Signal s(c.missed);
    EXPECT_EQ(hsam_signal_wait_relaxed(s, c.condition, c.compare, millisecond, HSA_WAIT_STATE_BLOCKED),
              c.missed);
    std::thread sender([&] {
      until_waiting(s, 1);
      hsam_signal_store_screlease(s, c.met);
    });
    EXPECT_EQ(hsam_signal_wait_relaxed(s, c.condition, c.compare, forever, HSA_WAIT_STATE_ACTIVE), c.met);
    sender.join();
    EXPECT_EQ(s.block.waiters, 0u);
    EXPECT_EQ(s.block.wait_records, nullptr);
  }
}

TEST(Signal, timeout_is_in_ticks_and_keeps_its_time) {
  Signal s(1);
  uint64_t start = hsam_timestamp();
  EXPECT_EQ(wait_eq(s, 0, 30 * millisecond), 1);
  EXPECT_GE(hsam_timestamp() - start, 30 * millisecond);
  EXPECT_EQ(wait_eq(s, 0, 0), 1);
  EXPECT_EQ(s.block.waiters, 0u);
}

TEST(Signal, a_condition_that_held_for_a_moment_ends_the_wait) {
  Signal s(0);
  std::vector<std::thread> waiters;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) waiters.emplace_back([&] { right += wait_eq(s, 1) == 1; });
  until_waiting(s, 4);
  hsam_signal_store_screlease(s, 1);
  hsam_signal_store_screlease(s, 0);
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(right, 4);
}

TEST(Signal, sends_that_meet_no_condition_wake_nobody) {
  Signal s(100);
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    wait_eq(s, 0);
    done = true;
  });
  until_waiting(s, 1);
  for (int i = 0; i < 99; ++i) {
    hsam_signal_subtract_screlease(s, 1);
    ASSERT_FALSE(waiter_is_hit(s));
  }
  EXPECT_FALSE(done);
  hsam_signal_subtract_screlease(s, 1);
  waiter.join();
}

TEST(Signal, silent_store_wakes_nobody_but_is_seen) {
  Signal s(1);
  std::thread waiter([&] { EXPECT_EQ(wait_eq(s, 0, 1000 * millisecond), 0); });
  until_waiting(s, 1);
  hsam_signal_silent_store_screlease(s, 0);
  EXPECT_FALSE(waiter_is_hit(s));
  waiter.join();
}

TEST(Signal, wait_any_returns_the_signal_that_was_met) {
  Signal a(1), b(1), c(1);
  hsam_signal* signals[] = {a, b, c};
  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT,
                                         HSA_SIGNAL_CONDITION_GTE};
  int64_t compares[] = {0, 0, 10};
  hsam_wait_record records[3];
  int64_t value = 0;
  EXPECT_EQ(hsam_signal_wait_any(3, signals, conditions, compares, millisecond, HSA_WAIT_STATE_BLOCKED,
                                 records, &value),
            3u);
  for (uint32_t which : {2u, 1u, 0u}) {
    int64_t sent = which == 0 ? 0 : which == 1 ? -9 : 11;
    std::thread sender([&] {
      until_waiting(signals[which], 1);
      hsam_signal_store_screlease(signals[which], sent);
    });
    EXPECT_EQ(hsam_signal_wait_any(3, signals, conditions, compares, forever, HSA_WAIT_STATE_BLOCKED, records,
                                   &value),
              which);
    EXPECT_EQ(value, sent);
    sender.join();
    hsam_signal_store_screlease(signals[which], 1);
    for (hsam_signal* signal : signals) EXPECT_EQ(signal->waiters, 0u);
  }
}

TEST(Signal, any_send_and_kick_end_a_sleep) {
  Signal s(5);
  hsam_waiter waiter{};
  hsam_wait_record record;
  hsam_wait_arm(&record, &waiter, s, HSAM_CONDITION_ANY_SEND, 0);
  EXPECT_EQ(hsam_waiter_sleep(&waiter, hsam_timestamp() + millisecond), 0);
  std::thread sender([&] { hsam_signal_store_screlease(s, 5); });
  EXPECT_EQ(hsam_waiter_sleep(&waiter, UINT64_MAX), 1);
  sender.join();
  EXPECT_TRUE(hsam_wait_disarm(&record));
  EXPECT_EQ(record.value, 5);
  hsam_waiter_reset(&waiter);
  std::thread kicker([&] { hsam_waiter_kick(&waiter); });
  EXPECT_EQ(hsam_waiter_sleep(&waiter, UINT64_MAX), 1);
  kicker.join();
}

TEST(Signal, a_late_sender_of_a_destroyed_signal_wakes_no_waiter_of_the_next_one) {
  Signal s(1);
  const int locked = hsam_signal_sending(s);
  // After the sender has changed the value to 0, and before it looks at the waiters, the block becomes
  // another signal with the value 1.
  s.block.flags = 2u << HSAM_SIGNAL_GENERATION_SHIFT;
  hsam_waiter waiter{};
  hsam_wait_record record;
  hsam_wait_arm(&record, &waiter, s, HSA_SIGNAL_CONDITION_EQ, 0);
  hsam_signal_sent(s, locked, 0);
  EXPECT_FALSE(hsam_wait_disarm(&record));
}

TEST(Signal, a_late_sender_does_not_end_the_wait_after_the_one_that_took_its_value) {
  Signal s(1);
  const int locked = hsam_signal_sending(s);
  s.block.value = 0;
  EXPECT_EQ(wait_eq(s, 0), 0);  // sees the value before the sender looks for waiters
  hsam_signal_store_screlease(s, 1);
  hsam_waiter waiter{};
  hsam_wait_record record;
  hsam_wait_arm(&record, &waiter, s, HSA_SIGNAL_CONDITION_EQ, 0);
  hsam_signal_sent(s, locked, 0);
  EXPECT_FALSE(hsam_wait_disarm(&record));
}

TEST(Signal, a_comparison_that_fails_leaves_the_signal_unlocked_although_somebody_waits) {
  Signal s(1);
  hsam_waiter waiter{};
  hsam_wait_record record;
  hsam_wait_arm(&record, &waiter, s, HSA_SIGNAL_CONDITION_EQ, 0);
  EXPECT_EQ(hsam_signal_cas_relaxed(s, 5, 0), 1);
  EXPECT_EQ(s.block.futex, 0u);
  EXPECT_EQ(hsam_signal_cas_relaxed(s, 1, 0), 1);
  EXPECT_EQ(s.block.futex, 0u);
  EXPECT_TRUE(hsam_wait_disarm(&record));
}

// ---- destinations (MVA 3.11.3) ----

std::vector<int64_t> unreachable_agents;
void record_unreachable(hsa_signal_object*, int64_t agent) { unreachable_agents.push_back(agent); }
const hsam_signal_hooks hooks = {record_unreachable};

TEST(SignalDestinations, a_send_rings_all_doorbells_and_reports_inactive_roots) {
  unreachable_agents.clear();
  Signal s(0, 2);
  s.block.hooks = &hooks;
  uint64_t bells[3] = {};
  uint64_t group_state = 0;
  hsa_destination_node second_node{0, nullptr, &bells[1], nullptr};
  hsa_destination_node first_node{0, nullptr, &bells[0], &second_node};
  hsa_group_node group{0, nullptr, &bells[2], &group_state, nullptr};
  hsam_root_update(s, s.root(0), uint64_t{77} << HSAM_ROOT_DOORBELL_VALUE_SHIFT, &first_node, &group);
  EXPECT_EQ(s.block.attached, 1u);
  EXPECT_EQ((s.root(0)->flags >> HSAM_ROOT_DRIVER_ID_SHIFT) & 0xffff, 1u);  // the driver ID stays
  hsam_signal_store_screlease(s, 1);
  for (uint64_t bell : bells) EXPECT_EQ(bell, 77u);
  EXPECT_TRUE(unreachable_agents.empty());

  second_node.flags = HSAM_NODE_STATE_INACTIVE;
  hsam_signal_store_screlease(s, 2);
  EXPECT_EQ(unreachable_agents, std::vector<int64_t>({1}));
  second_node.flags = 0;
  group_state = 1;
  hsam_signal_store_screlease(s, 3);
  EXPECT_EQ(unreachable_agents, std::vector<int64_t>({1, 1}));
  group_state = 0;
  hsam_root_update(s, s.root(1), HSAM_NODE_STATE_INACTIVE, nullptr, nullptr);
  EXPECT_EQ(s.block.attached, 2u);
  hsam_signal_add_relaxed(s, 1);
  EXPECT_EQ(unreachable_agents, std::vector<int64_t>({1, 1, 2}));
  hsam_signal_silent_store_relaxed(s, 9);  // rings nothing
  EXPECT_EQ(unreachable_agents.size(), 3u);

  hsam_root_update(s, s.root(0), 0, nullptr, nullptr);
  hsam_root_update(s, s.root(1), 0, nullptr, nullptr);
  EXPECT_EQ(s.block.attached, 0u);
  bells[0] = 0;
  hsam_signal_store_screlease(s, 4);
  EXPECT_EQ(bells[0], 0u);
  EXPECT_EQ(unreachable_agents.size(), 3u);
}

// ---- the two races between a send and a thread that stops watching ----
//
// Each side writes, then reads what the other writes. With anything less than a full fence between the two,
// both sides can miss the other's write: with sends as mere release stores, these cases fail within a second.

/// Runs `send` and `retire` at the same time, again and again. `retire` reports whether it saw the send or
/// was notified of it; it is called with a negative number after both have ended.
void race(const std::function<void(int64_t)>& send, const std::function<bool(int64_t)>& retire) {
  std::atomic<int64_t> ready{0}, done{0};
  auto meet = [](std::atomic<int64_t>& count, int64_t target) {
    count.fetch_add(1);
    for (unsigned spins = 0; count.load() < target; ++spins)
      spins < 2000 ? hsam_cpu_relax() : static_cast<void>(sched_yield());
  };
  const int64_t races = rounds * 10;
  // On a busy machine the two rarely run at the same time, so the number of rounds is limited by time.
  const uint64_t deadline = hsam_timestamp() + 5 * HSAM_TIMESTAMP_FREQUENCY;
  std::atomic<bool> over{false};
  std::thread sender([&] {
    for (int64_t i = 1;; ++i) {
      meet(ready, 2 * i);
      if (over) return;
      for (int64_t delay = 0; delay < i % 13; ++delay) __asm__ volatile("");
      send(i);
      meet(done, 2 * i);
    }
  });
  int64_t lost = 0;
  for (int64_t i = 1; !over; ++i) {
    over = i > races || hsam_timestamp() > deadline;
    meet(ready, 2 * i);
    if (over) break;
    for (int64_t delay = 0; delay < i % 17; ++delay) __asm__ volatile("");
    bool saw = retire(i);
    meet(done, 2 * i);
    lost += !saw && !retire(-i);
  }
  sender.join();
  EXPECT_EQ(lost, 0);
}

// MVA 3.11.1: a destination declares itself INACTIVE and reads the value again, while a sender changes the
// value and then reads the state.
TEST(SignalDestinations, no_send_is_lost_to_a_destination_that_goes_inactive) {
  static std::atomic<int64_t> unblocked;
  static const hsam_signal_hooks counting = {[](hsa_signal_object*, int64_t) { ++unblocked; }};
  Signal s(0);
  s.block.hooks = &counting;
  race([&](int64_t i) { hsam_signal_store_screlease(s, i); },
       [&](int64_t i) {
         if (i < 0) {  // both have ended: was the destination notified?
           bool told = unblocked.exchange(0) != 0;
           hsam_root_update(s, s.root(), 0, nullptr, nullptr);
           return told;
         }
         unblocked = 0;
         hsam_root_update(s, s.root(), HSAM_NODE_STATE_INACTIVE, nullptr, nullptr);
         bool saw = hsam_signal_load_scacquire(s) == i;
         if (saw) hsam_root_update(s, s.root(), 0, nullptr, nullptr);
         return saw;
       });
}

// MVA 3.9.2: a node is exchanged for another one while a sender walks the list. The sender rings the old
// doorbell or the new one, or the agent sees the value when it looks afterwards.
TEST(SignalDestinations, no_send_is_lost_while_nodes_are_exchanged) {
  Signal s(0);
  uint64_t bells[2] = {};
  uint64_t rest = 0;
  hsa_destination_node last{0, nullptr, &rest, nullptr};
  hsa_destination_node nodes[2] = {{0, nullptr, &bells[0], &last}, {0, nullptr, &bells[1], &last}};
  hsam_root_update(s, s.root(), uint64_t{1} << HSAM_ROOT_DOORBELL_VALUE_SHIFT, &nodes[0], nullptr);
  race([&](int64_t i) { hsam_signal_store_screlease(s, i); },
       [&](int64_t i) {
         if (i < 0) {  // both have ended: the node behind the exchanged ones is rung by every send
           const bool rung = bells[0] + bells[1] + rest >= 2;
           bells[0] = bells[1] = rest = 0;
           return rung;
         }
         hsam_node_exchange(&s.root()->next_dest_hier, &nodes[i % 2]);
         return false;  // the sender's ring is looked at when it has ended
       });
  hsam_root_update(s, s.root(), 0, nullptr, nullptr);
}

TEST(SignalDestinations, groups_change_states_and_nodes_one_word_at_a_time) {
  unreachable_agents.clear();
  Signal s(0);
  s.block.hooks = &hooks;
  uint64_t bells[2] = {};
  uint64_t state = 0;
  hsa_group_node second{0, nullptr, &bells[1], &state, nullptr};
  hsa_group_node first{0, nullptr, &bells[0], &state, nullptr};
  hsa_destination_node node{0, nullptr, nullptr, nullptr};
  hsam_root_update(s, s.root(), uint64_t{5} << HSAM_ROOT_DOORBELL_VALUE_SHIFT, &node, &first);
  hsam_group_set_state(&first, 1);
  hsam_signal_store_screlease(s, 1);
  EXPECT_EQ(unreachable_agents.size(), 1u);
  hsam_group_set_state(&first, 0);
  hsam_group_exchange(&s.root()->next_group_hier, &second);
  bells[0] = 0;
  hsam_signal_store_screlease(s, 2);
  EXPECT_EQ(bells[0], 0u);
  EXPECT_EQ(bells[1], 5u);
  EXPECT_EQ(unreachable_agents.size(), 1u);
  hsam_node_set_flags(&node, HSAM_NODE_STATE_INACTIVE);
  hsam_signal_store_screlease(s, 3);
  EXPECT_EQ(unreachable_agents.size(), 2u);
  hsam_root_update(s, s.root(), 0, nullptr, nullptr);
}

TEST(SignalStress, no_send_is_lost_to_a_thread_that_registers) {
  Signal s(0);
  hsam_waiter waiter{};
  hsam_wait_record record;
  race([&](int64_t i) { hsam_signal_store_screlease(s, i); },
       [&](int64_t i) {
         if (i < 0) return hsam_wait_disarm(&record) != 0;
         hsam_wait_arm(&record, &waiter, s, HSA_SIGNAL_CONDITION_EQ, i);
         bool saw = hsam_signal_load_scacquire(s) == i;
         if (saw) hsam_wait_disarm(&record);
         return saw;
       });
}

// ---- stress: no wake-up is lost ----

/// Two threads pass a counter to and fro. `hint` is how the second thread waits for it.
void ping_pong(hsa_wait_state_t hint) {
  Signal ping(0), pong(0);
  std::thread other([&] {
    for (int64_t i = 1; i <= rounds; ++i) {
      hsam_signal_wait_scacquire(ping, HSA_SIGNAL_CONDITION_GTE, i, forever, hint);
      hsam_signal_store_screlease(pong, i);
    }
  });
  for (int64_t i = 1; i <= rounds; ++i) {
    hsam_signal_store_screlease(ping, i);
    ASSERT_EQ(wait_eq(pong, i, 10'000 * millisecond), i);
  }
  other.join();
}
TEST(SignalStress, ping_pong_blocked) { ping_pong(HSA_WAIT_STATE_BLOCKED); }
TEST(SignalStress, ping_pong_active) { ping_pong(HSA_WAIT_STATE_ACTIVE); }

/// The pattern of completion signals: many threads decrement and many wait for 0. The waiting threads then
/// see what the decrementing threads wrote before.
TEST(SignalStress, many_senders_many_waiters) {
  constexpr int senders = 4, waiters = 4;
  const int64_t per_round = rounds / 100;
  for (int round = 0; round < 20; ++round) {
    Signal s(senders * per_round);
    std::vector<int64_t> written(senders, 0);
    std::vector<std::thread> threads;
    std::atomic<int> satisfied{0};
    for (int i = 0; i < waiters; ++i)
      threads.emplace_back([&] {
        if (wait_eq(s, 0, 10'000 * millisecond) != 0) return;
        int64_t sum = 0;
        for (int64_t value : written) sum += value;
        satisfied += sum == senders * per_round;
      });
    for (int i = 0; i < senders; ++i)
      threads.emplace_back([&, i] {
        for (int64_t n = 0; n < per_round; ++n) {
          ++written[i];
          hsam_signal_subtract_screlease(s, 1);
        }
      });
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(satisfied, waiters);
  }
}

/// A thread waits for several signals, each of which another thread sends. Exactly one wait consumes each
/// send.
TEST(SignalStress, wait_any_of_many) {
  constexpr uint32_t count = 8;
  std::vector<Signal> signals(count);
  std::vector<hsam_signal*> pointers;
  for (auto& signal : signals) pointers.push_back(signal);
  const int64_t sends = rounds / 20;
  std::thread waiter([&] {
    std::vector<hsa_signal_condition_t> conditions(count, HSA_SIGNAL_CONDITION_NE);
    std::vector<int64_t> compares(count, 0);
    std::vector<hsam_wait_record> records(count);
    for (int64_t i = 0; i < sends * count; ++i) {
      int64_t value;
      uint32_t which =
          hsam_signal_wait_any(count, pointers.data(), conditions.data(), compares.data(),
                               10'000 * millisecond, HSA_WAIT_STATE_BLOCKED, records.data(), &value);
      ASSERT_NE(which, count) << "after " << i;
      ASSERT_EQ(value, 1);
      hsam_signal_store_screlease(pointers[which], 0);
    }
  });
  std::vector<std::thread> senders;
  for (uint32_t i = 0; i < count; ++i)
    senders.emplace_back([&, i] {
      for (int64_t n = 0; n < sends; ++n) {
        wait_eq(pointers[i], 0);
        hsam_signal_store_screlease(pointers[i], 1);
      }
    });
  for (auto& sender : senders) sender.join();
  waiter.join();
}

}  // namespace
