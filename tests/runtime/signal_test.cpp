// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals and signal groups (Runtime 2.4): every operation in every memory order, under both its names.
#include <chrono>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

using Value = hsa_signal_value_t;

struct Update {
  const char* name;
  void (*call)(hsa_signal_t, Value);
  Value (*model)(Value, Value);
};

#define ORDERS(operation, model)                                            \
  {#operation "_scacq_screl", hsa_signal_##operation##_scacq_screl, model}, \
      {#operation "_scacquire", hsa_signal_##operation##_scacquire, model}, \
      {#operation "_relaxed", hsa_signal_##operation##_relaxed, model},     \
      {#operation "_screlease", hsa_signal_##operation##_screlease, model}, \
      {#operation "_acq_rel", hsa_signal_##operation##_acq_rel, model},     \
      {#operation "_acquire", hsa_signal_##operation##_acquire, model}, {   \
    #operation "_release", hsa_signal_##operation##_release, model          \
  }

Value wrap_add(Value a, Value b) {
  return static_cast<Value>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
Value wrap_subtract(Value a, Value b) {
  return static_cast<Value>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

const Update updates[] = {
    {"store_relaxed", hsa_signal_store_relaxed, [](Value, Value b) { return b; }},
    {"store_screlease", hsa_signal_store_screlease, [](Value, Value b) { return b; }},
    {"store_release", hsa_signal_store_release, [](Value, Value b) { return b; }},
    {"silent_store_relaxed", hsa_signal_silent_store_relaxed, [](Value, Value b) { return b; }},
    {"silent_store_screlease", hsa_signal_silent_store_screlease, [](Value, Value b) { return b; }},
    ORDERS(add, wrap_add),
    ORDERS(subtract, wrap_subtract),
    ORDERS(and, [](Value a, Value b) { return a & b; }),
    ORDERS(or, [](Value a, Value b) { return a | b; }),
    ORDERS(xor,
           [](Value a, Value b) {
             return a ^ b;
           }),
};

const Value edges[] = {0, 1, -1, 2, 0x5555555555555555, INT64_MAX, INT64_MIN, 1234567890123};

TEST_F(Runtime, SignalUpdates) {
  const hsa_signal_t s = signal(0);
  for (const Update& update : updates)
    for (Value before : edges)
      for (Value operand : edges) {
        hsa_signal_store_relaxed(s, before);
        update.call(s, operand);
        ASSERT_EQ(hsa_signal_load_relaxed(s), update.model(before, operand)) << update.name;
      }
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(Runtime, SignalExchangeAndCompareAndSwap) {
  Value (*const exchanges[])(hsa_signal_t, Value) = {
      hsa_signal_exchange_scacq_screl, hsa_signal_exchange_scacquire, hsa_signal_exchange_relaxed,
      hsa_signal_exchange_screlease,   hsa_signal_exchange_acq_rel,   hsa_signal_exchange_acquire,
      hsa_signal_exchange_release};
  Value (*const swaps[])(hsa_signal_t, Value, Value) = {
      hsa_signal_cas_scacq_screl, hsa_signal_cas_scacquire, hsa_signal_cas_relaxed, hsa_signal_cas_screlease,
      hsa_signal_cas_acq_rel,     hsa_signal_cas_acquire,   hsa_signal_cas_release};
  const hsa_signal_t s = signal(0);
  for (auto exchange : exchanges)
    for (Value value : edges) {
      const Value before = hsa_signal_load_scacquire(s);
      EXPECT_EQ(exchange(s, value), before);
      EXPECT_EQ(hsa_signal_load_acquire(s), value);
    }
  for (auto swap : swaps) {
    hsa_signal_store_relaxed(s, 5);
    EXPECT_EQ(swap(s, 4, 9), 5);
    EXPECT_EQ(hsa_signal_load_relaxed(s), 5);
    EXPECT_EQ(swap(s, 5, 9), 5);
    EXPECT_EQ(hsa_signal_load_relaxed(s), 9);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

using Wait = Value (*)(hsa_signal_t, hsa_signal_condition_t, Value, uint64_t, hsa_wait_state_t);
const Wait waits[] = {hsa_signal_wait_scacquire, hsa_signal_wait_relaxed, hsa_signal_wait_acquire};

TEST_F(Runtime, AWaitOnASatisfiedConditionReturnsAtOnce) {
  const hsa_signal_t s = signal(-3);
  const std::pair<hsa_signal_condition_t, Value> satisfied[] = {{HSA_SIGNAL_CONDITION_EQ, -3},
                                                                {HSA_SIGNAL_CONDITION_NE, 3},
                                                                {HSA_SIGNAL_CONDITION_LT, 0},
                                                                {HSA_SIGNAL_CONDITION_GTE, -3}};
  for (Wait wait : waits)
    for (const auto& [condition, compare] : satisfied)
      for (hsa_wait_state_t hint : {HSA_WAIT_STATE_ACTIVE, HSA_WAIT_STATE_BLOCKED})
        EXPECT_EQ(wait(s, condition, compare, UINT64_MAX, hint), -3);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(Runtime, AWaitEndsAtItsTimeout) {
  const hsa_signal_t s = signal(1);
  uint64_t frequency = 0;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  for (hsa_wait_state_t hint : {HSA_WAIT_STATE_ACTIVE, HSA_WAIT_STATE_BLOCKED}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, frequency / 50, hint), 1);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(19));
  }
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

/// Each operation that wakes waiters ends the wait of another thread.
TEST_F(Runtime, UpdatesWakeWaiters) {
  for (const Update& update : updates) {
    if (std::string(update.name).starts_with("silent")) continue;
    const hsa_signal_t s = signal(0b1100);
    const Value target = update.model(0b1100, 0b1010);
    std::thread waiter([&] {
      EXPECT_EQ(
          hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, target, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
          target);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    update.call(s, 0b1010);
    waiter.join();
    EXPECT_SUCCESS(hsa_signal_destroy(s));
  }
}

TEST_F(Runtime, SignalErrors) {
  hsa_signal_t s{};
  EXPECT_EQ(hsa_signal_create(0, 0, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_create(0, 1, nullptr, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_agent_t twice[] = {host_, host_};
  EXPECT_EQ(hsa_signal_create(0, 2, twice, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_agent_t nobody[] = {{17}};
  EXPECT_EQ(hsa_signal_create(0, 1, nobody, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_destroy({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t handle : garbage_handles) {
    if (handle == 0) continue;
    EXPECT_EQ(hsa_signal_destroy({handle}), HSA_STATUS_ERROR_INVALID_SIGNAL) << handle;
  }
  s = signal(0);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_EQ(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_destroy({s.handle + 8}), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(Runtime, SignalsWithConsumers) {
  hsa_signal_t s{};
  ASSERT_SUCCESS(hsa_signal_create(7, static_cast<uint32_t>(agents_.size()), agents_.data(), &s));
  EXPECT_EQ(hsa_signal_load_relaxed(s), 7);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(Runtime, AGroupWaitsForAnyOfItsSignals) {
  const hsa_signal_t signals[] = {signal(1), signal(1), signal(1)};
  hsa_signal_group_t group{};
  ASSERT_SUCCESS(hsa_signal_group_create(3, signals, 1, &host_, &group));
  const hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_GTE,
                                               HSA_SIGNAL_CONDITION_LT};
  const Value compares[] = {0, 5, 0};
  const Value hits[] = {0, 5, -1};
  for (int i = 0; i < 3; ++i) {
    hsa_signal_t got{};
    Value value = 0;
    std::thread sender([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      hsa_signal_store_screlease(signals[i], hits[i]);
    });
    auto wait = i == 0 ? hsa_signal_group_wait_any_relaxed : hsa_signal_group_wait_any_scacquire;
    EXPECT_SUCCESS(wait(group, conditions, compares, HSA_WAIT_STATE_BLOCKED, &got, &value));
    sender.join();
    EXPECT_EQ(got.handle, signals[i].handle);
    EXPECT_EQ(value, hits[i]);
    hsa_signal_store_relaxed(signals[i], 1);
  }
  EXPECT_SUCCESS(hsa_signal_group_destroy(group));
  EXPECT_EQ(hsa_signal_group_destroy(group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  for (hsa_signal_t s : signals) EXPECT_SUCCESS(hsa_signal_destroy(s));
}

TEST_F(Runtime, SignalGroupErrors) {
  const hsa_signal_t s = signal(0);
  const hsa_signal_t twice[] = {s, s};
  hsa_signal_group_t group{};
  EXPECT_EQ(hsa_signal_group_create(0, &s, 1, &host_, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, nullptr, 1, &host_, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, &s, 0, &host_, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, &s, 1, nullptr, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, &s, 1, &host_, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(2, twice, 1, &host_, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_signal_t only_host{};
  ASSERT_SUCCESS(hsa_signal_create(0, 1, &host_, &only_host));
  EXPECT_EQ(hsa_signal_group_create(1, &only_host, 1, &kernel_agent_, &group),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (uint64_t handle : garbage_handles) {
    const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
    const Value compare = 0;
    hsa_signal_t got{};
    Value value = 0;
    EXPECT_EQ(hsa_signal_group_destroy({handle}), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    EXPECT_EQ(hsa_signal_group_wait_any_scacquire({handle}, &condition, &compare, HSA_WAIT_STATE_BLOCKED,
                                                  &got, &value),
              HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    EXPECT_EQ(
        hsa_signal_group_wait_any_relaxed({handle}, nullptr, &compare, HSA_WAIT_STATE_BLOCKED, &got, &value),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_SUCCESS(hsa_signal_destroy(only_host));
  EXPECT_SUCCESS(hsa_signal_destroy(s));
}

}  // namespace
}  // namespace heddle::runtime::test
