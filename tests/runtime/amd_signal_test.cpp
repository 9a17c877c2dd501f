// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals of the AMD extension in one process: attributes, waits for several signals, handlers. The tests
// also run under ThreadSanitizer (./dev test).
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "fixture.h"

namespace heddle::runtime::test {
namespace {

constexpr auto eq = HSA_SIGNAL_CONDITION_EQ;
constexpr auto blocked = HSA_WAIT_STATE_BLOCKED;
const auto unknown_condition = static_cast<hsa_signal_condition_t>(4);

hsa_signal_value_t wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
  return hsa_signal_wait_scacquire(signal, eq, value, UINT64_MAX, blocked);
}

/// A handler that calls a function of the test.
struct Callback {
  std::function<bool(hsa_signal_value_t)> body;
  static bool handler(hsa_signal_value_t value, void* self) {
    return static_cast<Callback*>(self)->body(value);
  }
  static void function(void* self) { static_cast<Callback*>(self)->body(0); }
};

class AmdSignals : public Runtime {
 protected:
  static void expect_errors_of_create(const std::vector<hsa_agent_t>& agents) {
    hsa_signal_t s{};
    const hsa_agent_t twice[] = {agents[0], agents[0]};
    const hsa_agent_t stranger = {77};
    for (const uint64_t attributes : {uint64_t{0}, uint64_t{HSA_AMD_SIGNAL_IPC}}) {
      EXPECT_EQ(hsa_amd_signal_create(0, 0, nullptr, attributes, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_amd_signal_create(0, 1, nullptr, attributes, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_amd_signal_create(0, 2, twice, attributes, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_amd_signal_create(0, 1, &stranger, attributes, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
    EXPECT_EQ(hsa_amd_signal_create(0, 0, nullptr, 4, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
};

TEST_F(AmdSignals, Attributes) {
  for (uint64_t attributes = 0; attributes < 4; ++attributes)
    for (uint32_t consumers = 0; consumers <= agents_.size(); ++consumers) {
      hsa_signal_t s{};
      ASSERT_SUCCESS(hsa_amd_signal_create(-5, consumers, agents_.data(), attributes, &s));
      EXPECT_EQ(hsa_signal_load_relaxed(s), -5);
      hsa_signal_add_screlease(s, 7);
      EXPECT_EQ(wait_for(s, 2), 2);
      EXPECT_SUCCESS(hsa_signal_destroy(s));
      EXPECT_EQ(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL);
    }
  expect_errors_of_create(agents_);
}

TEST_F(AmdSignals, ValuePointer) {
  for (const uint64_t attributes : {uint64_t{0}, uint64_t{HSA_AMD_SIGNAL_IPC}}) {
    hsa_signal_t s{};
    ASSERT_SUCCESS(hsa_amd_signal_create(3, 0, nullptr, attributes, &s));
    volatile hsa_signal_value_t* value = nullptr;
    ASSERT_SUCCESS(hsa_amd_signal_value_pointer(s, &value));
    EXPECT_EQ(*value, 3);
    *value = 9;
    EXPECT_EQ(hsa_signal_load_scacquire(s), 9);
    EXPECT_EQ(hsa_amd_signal_value_pointer(s, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_SUCCESS(hsa_signal_destroy(s));
    EXPECT_EQ(hsa_amd_signal_value_pointer(s, &value), HSA_STATUS_ERROR_INVALID_SIGNAL);
  }
  for (const uint64_t garbage : garbage_handles) {
    volatile hsa_signal_value_t* value = nullptr;
    EXPECT_EQ(hsa_amd_signal_value_pointer({garbage}, &value), HSA_STATUS_ERROR_INVALID_SIGNAL);
  }
}

// ---- waits for several signals ----

/// The arguments of a wait, for `count` signals with the value 1 that are waited for to become 0.
struct Waits {
  explicit Waits(size_t count) : conditions(count, eq), values(count, 0) {
    for (size_t i = 0; i < count; ++i) {
      signals.push_back({});
      EXPECT_SUCCESS(
          hsa_amd_signal_create(1, 0, nullptr, i % 3 == 2 ? HSA_AMD_SIGNAL_IPC : 0, &signals.back()));
    }
  }
  ~Waits() {
    for (hsa_signal_t s : signals) EXPECT_SUCCESS(hsa_signal_destroy(s));
  }
  uint32_t wait(uint64_t timeout, hsa_signal_value_t* value, hsa_wait_state_t hint = blocked) {
    return hsa_amd_signal_wait_any(static_cast<uint32_t>(signals.size()), signals.data(), conditions.data(),
                                   values.data(), timeout, hint, value);
  }
  std::vector<hsa_signal_t> signals;
  std::vector<hsa_signal_condition_t> conditions;
  std::vector<hsa_signal_value_t> values;
};

TEST_F(AmdSignals, WaitAnyFindsEachSignalAndCondition) {
  for (const size_t count : {1, 5, 40}) {  // more than fit on the stack
    Waits waits(count);
    for (uint32_t i = 0; i < count; ++i) {
      const struct {
        hsa_signal_condition_t condition;
        hsa_signal_value_t compare, value;
      } cases[] = {{HSA_SIGNAL_CONDITION_EQ, 0, 0},
                   {HSA_SIGNAL_CONDITION_NE, 1, 8},
                   {HSA_SIGNAL_CONDITION_LT, 1, -3},
                   {HSA_SIGNAL_CONDITION_GTE, 5, 5}};
      for (const auto& wanted : cases) {
        waits.conditions[i] = wanted.condition;
        waits.values[i] = wanted.compare;
        hsa_signal_value_t value = 99;
        EXPECT_EQ(waits.wait(0, &value), UINT32_MAX);
        EXPECT_EQ(waits.wait(1000, &value), UINT32_MAX);
        EXPECT_EQ(value, 99);
        hsa_signal_store_screlease(waits.signals[i], wanted.value);
        EXPECT_EQ(waits.wait(UINT64_MAX, &value), i);
        EXPECT_EQ(value, wanted.value);
        EXPECT_EQ(waits.wait(UINT64_MAX, nullptr, HSA_WAIT_STATE_ACTIVE), i);
        hsa_signal_store_screlease(waits.signals[i], 1);
      }
      waits.conditions[i] = eq;
      waits.values[i] = 0;
    }
  }
}

TEST_F(AmdSignals, WaitAnyRefusesWrongArguments) {
  Waits waits(2);
  hsa_signal_t* s = waits.signals.data();
  hsa_signal_condition_t* c = waits.conditions.data();
  hsa_signal_value_t* v = waits.values.data();
  v[0] = 1;  // holds, so that the waits would end if they began
  hsa_signal_value_t value = 0;
  EXPECT_EQ(hsa_amd_signal_wait_any(2, s, c, v, UINT64_MAX, blocked, &value), 0u);
  EXPECT_EQ(hsa_amd_signal_wait_any(0, nullptr, nullptr, nullptr, UINT64_MAX, blocked, &value), UINT32_MAX);
  EXPECT_EQ(hsa_amd_signal_wait_any(UINT32_MAX, s, c, v, UINT64_MAX, blocked, &value), UINT32_MAX);
  EXPECT_EQ(hsa_amd_signal_wait_any(2, nullptr, c, v, UINT64_MAX, blocked, &value), UINT32_MAX);
  EXPECT_EQ(hsa_amd_signal_wait_any(2, s, nullptr, v, UINT64_MAX, blocked, &value), UINT32_MAX);
  EXPECT_EQ(hsa_amd_signal_wait_any(2, s, c, nullptr, UINT64_MAX, blocked, &value), UINT32_MAX);
  const hsa_signal_t live = s[1];
  s[1] = {};
  EXPECT_EQ(hsa_amd_signal_wait_any(2, s, c, v, UINT64_MAX, blocked, &value), UINT32_MAX);
  s[1] = live;
  c[1] = unknown_condition;
  EXPECT_EQ(hsa_amd_signal_wait_any(2, s, c, v, UINT64_MAX, blocked, &value), UINT32_MAX);
}

/// The value changes back at once, so that a waiter that only compared values would miss it.
TEST_F(AmdSignals, WaitAnyMissesNoValue) {
  Waits waits(2);
  for (int round = 0; round < 200; ++round) {
    auto waiting = std::async(std::launch::async, [&] {
      hsa_signal_value_t value = -1;
      const uint32_t found = waits.wait(UINT64_MAX, &value);
      return std::pair(found, value);
    });
    const uint32_t which = round % 2;
    // Until the thread sleeps, the value may be missed, because nobody is told that the wait has begun.
    while (waiting.wait_for(std::chrono::microseconds(200)) == std::future_status::timeout) {
      hsa_signal_store_screlease(waits.signals[which], 0);
      hsa_signal_store_screlease(waits.signals[which], 1);
    }
    EXPECT_EQ(waiting.get(), std::pair(which, hsa_signal_value_t{0}));
  }
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST_F(AmdSignals, ABlockedWaitSleeps) {
  Waits waits(20);
  uint64_t frequency = 0;
  ASSERT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  const double before = processor_seconds();
  hsa_signal_value_t value = 0;
  EXPECT_EQ(waits.wait(frequency / 5, &value), UINT32_MAX);
  EXPECT_LT(processor_seconds() - before, 0.1);  // of 0.2 seconds
}

// ---- handlers ----

TEST_F(AmdSignals, AHandlerGetsTheValueThatMetItsCondition) {
  const hsa_signal_t s = signal(4), done = signal(1);
  Callback callback{[&](hsa_signal_value_t value) {
    EXPECT_EQ(value, 2);
    hsa_signal_store_screlease(done, 0);
    return false;
  }};
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_LT, 3, Callback::handler, &callback));
  hsa_signal_store_screlease(s, 3);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, eq, 0, 1'000'000, blocked), 1);
  hsa_signal_store_screlease(s, 2);
  EXPECT_EQ(wait_for(done, 0), 0);
  // It said that it does not want to be called again.
  hsa_signal_store_screlease(done, 1);
  hsa_signal_store_screlease(s, 1);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, eq, 0, 1'000'000, blocked), 1);
  // A condition that holds already is met at once.
  callback.body = [&](hsa_signal_value_t value) {
    hsa_signal_store_screlease(done, value - 1);
    return false;
  };
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, eq, 1, Callback::handler, &callback));
  EXPECT_EQ(wait_for(done, 0), 0);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(AmdSignals, AHandlerThatWantsToIsCalledAgain) {
  const hsa_signal_t s = signal(0), calls = signal(0);
  Callback callback{[&](hsa_signal_value_t value) {
    EXPECT_GE(value, 1);
    hsa_signal_store_screlease(s, 0);
    hsa_signal_add_screlease(calls, 1);
    return value < 3;
  }};
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_GTE, 1, Callback::handler, &callback));
  for (hsa_signal_value_t round = 1; round <= 3; ++round) {
    EXPECT_EQ(wait_for(s, 0), 0);
    hsa_signal_store_screlease(s, round);
    EXPECT_EQ(wait_for(calls, round), round);
  }
  // The handler stays called while its condition holds.
  Callback count{[&](hsa_signal_value_t) {
    const bool again = hsa_signal_load_relaxed(calls) < 99;
    hsa_signal_add_screlease(calls, 1);
    return again;
  }};
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, eq, 0, Callback::handler, &count));
  EXPECT_EQ(wait_for(calls, 100), 100);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_SUCCESS(hsa_signal_destroy(calls));
}

/// Handlers on many signals, which several threads send to, are called once for each signal, one at a time.
TEST_F(AmdSignals, ManyHandlers) {
  constexpr int count = 300, threads = 3;
  std::vector<hsa_signal_t> signals;
  const hsa_signal_t left = signal(count);
  std::atomic<int> inside{0};
  Callback callback{[&](hsa_signal_value_t) {
    EXPECT_EQ(inside.fetch_add(1), 0);
    inside.fetch_sub(1);
    hsa_signal_subtract_screlease(left, 1);
    return false;
  }};
  for (int i = 0; i < count; ++i) {
    signals.push_back(signal(1));
    ASSERT_SUCCESS(hsa_amd_signal_async_handler(signals[i], eq, 0, Callback::handler, &callback));
  }
  std::vector<std::thread> senders;
  for (int t = 0; t < threads; ++t)
    senders.emplace_back([&, t] {
      for (int i = t; i < count; i += threads) hsa_signal_store_screlease(signals[i], 0);
    });
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(wait_for(left, 0), 0);
  for (hsa_signal_t s : signals) EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_SUCCESS(hsa_signal_destroy(left));
}

TEST_F(AmdSignals, HandlersMayCallTheRuntime) {
  const hsa_signal_t s = signal(1), done = signal(2);
  Callback second{[&](hsa_signal_value_t) {
    hsa_signal_subtract_screlease(done, 1);
    return false;
  }};
  std::atomic<int> calls{0};
  Callback first{[&](hsa_signal_value_t) {
    ++calls;
    EXPECT_SUCCESS(hsa_init());
    EXPECT_SUCCESS(hsa_shut_down());
    const hsa_signal_t made = signal(0);
    EXPECT_SUCCESS(hsa_amd_signal_async_handler(made, eq, 1, Callback::handler, &second));
    EXPECT_SUCCESS(hsa_signal_destroy(made));  // drops that handler
    EXPECT_SUCCESS(hsa_amd_async_function(Callback::function, &second));
    hsa_queue_t* q = queue();
    EXPECT_SUCCESS(hsa_queue_destroy(q));
    EXPECT_SUCCESS(hsa_signal_destroy(s));
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR);  // the last reference, which waits for this handler
    hsa_signal_subtract_screlease(done, 1);
    return true;  // although its signal is gone
  }};
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, eq, 0, Callback::handler, &first));
  hsa_signal_store_screlease(s, 0);
  EXPECT_EQ(wait_for(done, 0), 0);
  // Handlers run one after the other, so that a second call of the first one would come before this one.
  hsa_signal_store_screlease(done, 1);
  ASSERT_SUCCESS(hsa_amd_async_function(Callback::function, &second));
  EXPECT_EQ(wait_for(done, 0), 0);
  EXPECT_EQ(calls, 1);
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

TEST_F(AmdSignals, FunctionsAreCalledOnce) {
  const hsa_signal_t calls = signal(0);
  const auto caller = std::this_thread::get_id();
  Callback callback{[&](hsa_signal_value_t) {
    EXPECT_NE(std::this_thread::get_id(), caller);
    hsa_signal_add_screlease(calls, 1);
    return true;
  }};
  for (int i = 0; i < 10; ++i) ASSERT_SUCCESS(hsa_amd_async_function(Callback::function, &callback));
  EXPECT_EQ(wait_for(calls, 10), 10);
  EXPECT_EQ(hsa_signal_wait_scacquire(calls, eq, 11, 1'000'000, blocked), 10);
  EXPECT_EQ(hsa_amd_async_function(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_signal_destroy(calls));
}

TEST_F(AmdSignals, ErrorsOfHandlers) {
  const hsa_signal_t s = signal(1);
  Callback callback{[](hsa_signal_value_t) {
    ADD_FAILURE() << "called";
    return false;
  }};
  EXPECT_EQ(hsa_amd_signal_async_handler(s, eq, 1, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_signal_async_handler(s, unknown_condition, 1, Callback::handler, &callback),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_signal_destroy(s));
  EXPECT_EQ(hsa_amd_signal_async_handler(s, eq, 1, Callback::handler, &callback),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  for (const uint64_t garbage : garbage_handles)
    EXPECT_EQ(hsa_amd_signal_async_handler({garbage}, eq, 1, Callback::handler, &callback),
              HSA_STATUS_ERROR_INVALID_SIGNAL);
}

/// The handler of a destroyed signal is not called, even if the signal's memory is used again.
TEST_F(AmdSignals, DestroyedSignalsDropTheirHandlers) {
  Callback callback{[](hsa_signal_value_t) {
    ADD_FAILURE() << "called";
    return false;
  }};
  for (int i = 0; i < 3000; ++i) {
    const hsa_signal_t s = signal(1);
    ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, eq, 7, Callback::handler, &callback));
    ASSERT_SUCCESS(hsa_signal_destroy(s));
    const hsa_signal_t next = signal(0);
    hsa_signal_store_screlease(next, 7);
    ASSERT_SUCCESS(hsa_signal_destroy(next));
  }
}

TEST(AmdHandlers, TheLastShutDownWaitsForTheHandlerThatRuns) {
  ASSERT_SUCCESS(hsa_init());
  std::promise<void> begun, may_end;
  std::atomic<bool> ended{false};
  Callback callback{[&](hsa_signal_value_t) {
    begun.set_value();
    may_end.get_future().wait();
    ended = true;
    return true;
  }};
  ASSERT_SUCCESS(hsa_amd_async_function(Callback::function, &callback));
  Callback never{[](hsa_signal_value_t) {
    ADD_FAILURE() << "called";
    return false;
  }};
  hsa_signal_t s{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &s));
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(s, eq, 0, Callback::handler, &never));
  begun.get_future().wait();
  auto shut_down = std::async(std::launch::async, [] { return hsa_shut_down(); });
  EXPECT_EQ(shut_down.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  may_end.set_value();
  EXPECT_SUCCESS(shut_down.get());
  EXPECT_TRUE(ended);
  // The next runtime has handlers of its own.
  ASSERT_SUCCESS(hsa_init());
  std::promise<void> called;
  Callback again{[&](hsa_signal_value_t) {
    called.set_value();
    return false;
  }};
  ASSERT_SUCCESS(hsa_amd_async_function(Callback::function, &again));
  called.get_future().wait();
  EXPECT_SUCCESS(hsa_shut_down());
}

TEST(AmdSignalsWithoutRuntime, AreRefused) {
  constexpr auto refused = HSA_STATUS_ERROR_NOT_INITIALIZED;
  hsa_signal_t s{};
  hsa_amd_ipc_signal_t handle{};
  volatile hsa_signal_value_t* value = nullptr;
  hsa_signal_condition_t condition = eq;
  hsa_signal_value_t compare = 0;
  EXPECT_EQ(hsa_amd_signal_create(0, 0, nullptr, 0, &s), refused);
  EXPECT_EQ(hsa_amd_signal_value_pointer(s, &value), refused);
  EXPECT_EQ(hsa_amd_signal_async_handler(s, eq, 0, Callback::handler, nullptr), refused);
  EXPECT_EQ(hsa_amd_async_function(Callback::function, nullptr), refused);
  EXPECT_EQ(hsa_amd_ipc_signal_create(s, &handle), refused);
  EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, &s), refused);
  EXPECT_EQ(hsa_amd_signal_wait_any(1, &s, &condition, &compare, 0, blocked, nullptr), UINT32_MAX);
}

}  // namespace
}  // namespace heddle::runtime::test
