// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures two threads that answer each other through two signals, beside two that do so through two words of
// memory. One iteration is a round trip.
#include <benchmark/benchmark.h>
#include <hsa/hsa_ext_amd.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "common/hsa_session.h"
#include "paired.h"

namespace {

using namespace examples;

/// Two signals. What the partner's thread uses is copied into it, because the stack of the thread that
/// measures is written all the time, and what shares a cache line with it would go back and forth as well.
struct Pair {
  Runtime runtime;
  hsa_signal_t ping{}, pong{};
  Pair() {
    check(hsa_signal_create(0, 0, nullptr, &ping), "hsa_signal_create");
    check(hsa_signal_create(0, 0, nullptr, &pong), "hsa_signal_create");
  }
  ~Pair() {
    hsa_signal_destroy(ping);
    hsa_signal_destroy(pong);
  }
};

constexpr int64_t end_of_game = INT64_MAX;

/// A side of the game that uses signals.
struct Signal {
  hsa_signal_t signal;
  hsa_wait_state_t hint;
  void store(int64_t value) { hsa_signal_store_screlease(signal, value); }
  int64_t wait(int64_t value) {
    int64_t seen;
    do {
      seen = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_GTE, value, UINT64_MAX, hint);
    } while (seen < value);
    return seen;
  }
};

/// The least with which threads can wait for each other: a word that one spins on, or sleeps on by a futex.
/// It is the value of a signal, because it depends on the place in memory how long a cache line takes between
/// processors.
struct Word {
  Word(hsa_signal_t signal, hsa_wait_state_t hint) : sleep(hint != HSA_WAIT_STATE_ACTIVE) {
    volatile hsa_signal_value_t* address = nullptr;
    check(hsa_amd_signal_value_pointer(signal, &address), "hsa_amd_signal_value_pointer");
    word = const_cast<int64_t*>(address);
  }
  void store(int64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    if (sleep) futex(FUTEX_WAKE_PRIVATE, 1);
  }
  int64_t wait(int64_t value) {
    for (;;) {
      const int64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
      if (seen >= value) return seen;
      if (sleep)
        futex(FUTEX_WAIT_PRIVATE, static_cast<uint32_t>(seen));
      else
        __builtin_ia32_pause();
    }
  }
  void futex(int operation, uint32_t value) {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);  // of the lower half
  }
  int64_t* word = nullptr;
  bool sleep;
};

/// Plays `round` (with the measuring side) against a thread that answers.
template <typename Side, typename Round>
void play(Side ping, Side pong, Round round) {
  ping.store(0);
  pong.store(0);
  std::thread partner([ping, pong]() mutable {
    for (int64_t next = 1; ping.wait(next) != end_of_game; ++next) pong.store(next);
  });
  round(ping, pong);
  ping.store(end_of_game);
  partner.join();
}

template <typename Side>
void ping_pong(benchmark::State& state) {
  const auto hint = static_cast<hsa_wait_state_t>(state.range(0));
  const bool active = hint == HSA_WAIT_STATE_ACTIVE;
  if constexpr (std::is_same_v<Side, Word>)
    state.SetLabel(active ? "atomic" : "futex");
  else
    state.SetLabel(active ? "HSA_WAIT_STATE_ACTIVE" : "HSA_WAIT_STATE_BLOCKED");
  try {
    Pair pair;
    play(Side{pair.ping, hint}, Side{pair.pong, hint}, [&](Side ping, Side pong) {
      int64_t next = 0;
      for (auto _ : state) {
        ping.store(++next);
        pong.wait(next);
      }
    });
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
void signal_ping_pong(benchmark::State& state) { ping_pong<Signal>(state); }
void word_ping_pong(benchmark::State& state) { ping_pong<Word>(state); }
BENCHMARK(signal_ping_pong)->Arg(HSA_WAIT_STATE_ACTIVE)->Arg(HSA_WAIT_STATE_BLOCKED)->UseRealTime();
BENCHMARK(word_ping_pong)->Arg(HSA_WAIT_STATE_ACTIVE)->Arg(HSA_WAIT_STATE_BLOCKED)->UseRealTime();

template <typename Side>
double nanoseconds_for_round_trip(Side ping, Side pong) {
  constexpr int count = 5000;
  std::chrono::duration<double, std::nano> time{};
  play(ping, pong, [&](Side to, Side from) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t next = 1; next <= count; ++next) {
      to.store(next);
      from.wait(next);
    }
    time = std::chrono::steady_clock::now() - start;
  });
  return time.count() / count;
}

void ping_pong_ratio(benchmark::State& state) {
  const auto hint = static_cast<hsa_wait_state_t>(state.range(0));
  try {
    Pair pair;
    PairedTimes times;
    for (auto _ : state) {
      const double own = nanoseconds_for_round_trip(Signal{pair.ping, hint}, Signal{pair.pong, hint});
      times.add(own, nanoseconds_for_round_trip(Word{pair.ping, hint}, Word{pair.pong, hint}));
    }
    times.report(state);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(ping_pong_ratio)->Arg(HSA_WAIT_STATE_ACTIVE)->Iterations(101)->UseRealTime();
BENCHMARK(ping_pong_ratio)->Arg(HSA_WAIT_STATE_BLOCKED)->Iterations(11)->UseRealTime();

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
