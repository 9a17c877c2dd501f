// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures two threads that answer each other through two signals, beside two that do so through two words of
// memory. One iteration is a round trip.
#include <benchmark/benchmark.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "common/hsa_session.h"

namespace {

using namespace examples;

void signal_ping_pong(benchmark::State& state) {
  auto hint = static_cast<hsa_wait_state_t>(state.range(0));
  state.SetLabel(hint == HSA_WAIT_STATE_ACTIVE ? "HSA_WAIT_STATE_ACTIVE" : "HSA_WAIT_STATE_BLOCKED");
  try {
    Runtime runtime;
    hsa_signal_t ping{}, pong{};
    check(hsa_signal_create(0, 0, nullptr, &ping), "hsa_signal_create");
    check(hsa_signal_create(0, 0, nullptr, &pong), "hsa_signal_create");
    std::thread partner([&] {
      for (hsa_signal_value_t next = 1;; ++next) {
        hsa_signal_value_t seen;
        do {
          seen = hsa_signal_wait_scacquire(ping, HSA_SIGNAL_CONDITION_GTE, next, UINT64_MAX, hint);
        } while (seen < next);
        if (seen == INT64_MAX) return;
        hsa_signal_store_screlease(pong, next);
      }
    });
    hsa_signal_value_t next = 0;
    for (auto _ : state) {
      ++next;
      hsa_signal_store_screlease(ping, next);
      while (hsa_signal_wait_scacquire(pong, HSA_SIGNAL_CONDITION_GTE, next, UINT64_MAX, hint) < next) {
      }
    }
    hsa_signal_store_screlease(ping, INT64_MAX);
    partner.join();
    hsa_signal_destroy(ping);
    hsa_signal_destroy(pong);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(signal_ping_pong)->Arg(HSA_WAIT_STATE_ACTIVE)->Arg(HSA_WAIT_STATE_BLOCKED)->UseRealTime();

/// The least with which threads can wait for each other: a word that one spins on, or sleeps on by a futex.
class Word {
 public:
  void store(uint32_t value, bool wake) {
    value_.store(value, std::memory_order_release);
    if (wake) futex(FUTEX_WAKE_PRIVATE, 1);
  }
  void wait(uint32_t value, bool sleep) {
    for (;;) {
      const uint32_t seen = value_.load(std::memory_order_acquire);
      if (seen >= value) return;
      if (sleep)
        futex(FUTEX_WAIT_PRIVATE, seen);
      else
        __builtin_ia32_pause();
    }
  }

 private:
  void futex(int operation, uint32_t value) {
    syscall(SYS_futex, &value_, operation, value, nullptr, nullptr, 0);
  }
  alignas(64) std::atomic<uint32_t> value_{0};
};

void word_ping_pong(benchmark::State& state) {
  const bool sleep = state.range(0) != HSA_WAIT_STATE_ACTIVE;
  state.SetLabel(sleep ? "futex" : "atomic");
  Word ping, pong;
  std::atomic<bool> end{false};
  std::thread partner([&] {
    for (uint32_t next = 1;; ++next) {
      ping.wait(next, sleep);
      if (end) return;
      pong.store(next, sleep);
    }
  });
  uint32_t next = 0;
  for (auto _ : state) {
    ping.store(++next, sleep);
    pong.wait(next, sleep);
  }
  end = true;
  ping.store(next + 1, sleep);
  partner.join();
}
BENCHMARK(word_ping_pong)->Arg(HSA_WAIT_STATE_ACTIVE)->Arg(HSA_WAIT_STATE_BLOCKED)->UseRealTime();

/// Measures the cost of a signal alone: a store that nobody waits for, and a load.
void signal_store_load(benchmark::State& state) {
  try {
    Runtime runtime;
    hsa_signal_t signal{};
    check(hsa_signal_create(0, 0, nullptr, &signal), "hsa_signal_create");
    hsa_signal_value_t value = 0;
    for (auto _ : state) {
      hsa_signal_store_screlease(signal, ++value);
      benchmark::DoNotOptimize(hsa_signal_load_scacquire(signal));
    }
    hsa_signal_destroy(signal);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(signal_store_load);

}  // namespace
