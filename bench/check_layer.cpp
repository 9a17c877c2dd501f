// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what the check layer costs (docs/checking.md): calls of the runtime without it and with it.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "common/hsa_session.h"

namespace {

using namespace examples;

/// A runtime with or without the layer, which hsa_init loads.
class Session {
 public:
  explicit Session(bool checked) : setting_(checked ? "1" : "0") {}
  Agent agent() const { return kernel_agents().front(); }

 private:
  struct Setting {
    explicit Setting(const char* value) { setenv("HEDDLE_CHECK", value, 1); }
    ~Setting() { unsetenv("HEDDLE_CHECK"); }
  };
  Setting setting_;
  Runtime runtime_;
};

hsa_signal_t make_signal(hsa_signal_value_t value) {
  hsa_signal_t signal{};
  check(hsa_signal_create(value, 0, nullptr, &signal), "hsa_signal_create");
  return signal;
}

/// Runs the loop of a benchmark, which `measure` is, in a session.
template <typename Measure>
void in_session(benchmark::State& state, bool checked, Measure measure) {
  try {
    const Session session(checked);
    measure(session);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void check_layer_signal_load(benchmark::State& state, bool checked) {
  in_session(state, checked, [&](const Session&) {
    const hsa_signal_t signal = make_signal(0);
    for (auto _ : state) benchmark::DoNotOptimize(hsa_signal_load_relaxed(signal));
    check(hsa_signal_destroy(signal), "hsa_signal_destroy");
  });
}

void check_layer_get_info(benchmark::State& state, bool checked) {
  in_session(state, checked, [&](const Session& session) {
    const hsa_agent_t agent = session.agent().handle;
    uint32_t node = 0;
    for (auto _ : state) check(hsa_agent_get_info(agent, HSA_AGENT_INFO_NODE, &node), "hsa_agent_get_info");
  });
}

void check_layer_signal_life(benchmark::State& state, bool checked) {
  in_session(state, checked, [&](const Session&) {
    for (auto _ : state) check(hsa_signal_destroy(make_signal(1)), "hsa_signal_destroy");
  });
}

void check_layer_memory_life(benchmark::State& state, bool checked) {
  in_session(state, checked, [&](const Session& session) {
    const Agent agent = session.agent();
    for (auto _ : state) {
      void* address = nullptr;
      check(hsa_memory_allocate(agent.memory, 4096, &address), "hsa_memory_allocate");
      check(hsa_memory_free(address), "hsa_memory_free");
    }
  });
}

/// Submits barrier packets, a fourth of the queue at a time, and waits for the last of them.
void check_layer_barrier(benchmark::State& state, bool checked) {
  in_session(state, checked, [&](const Session& session) {
    constexpr uint32_t size = 1024, batch = size / 4;
    hsa_queue_t* queue = nullptr;
    check(hsa_queue_create(session.agent().handle, size, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX,
                           UINT32_MAX, &queue),
          "hsa_queue_create");
    const hsa_signal_t done = make_signal(1);
    constexpr uint16_t header =
        HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER;
    for (auto _ : state) {
      hsa_signal_store_relaxed(done, 1);
      const uint64_t first = hsa_queue_add_write_index_relaxed(queue, batch);
      auto* ring = static_cast<hsa_barrier_and_packet_t*>(queue->base_address);
      for (uint64_t i = first; i < first + batch; ++i) {
        hsa_barrier_and_packet_t& packet = ring[i % size];
        std::memset(reinterpret_cast<char*>(&packet) + 4, 0, sizeof packet - 4);
        if (i + 1 == first + batch) packet.completion_signal = done;
        __atomic_store_n(reinterpret_cast<uint32_t*>(&packet), uint32_t{header}, __ATOMIC_RELEASE);
        hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(i));
      }
      hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    }
    state.SetItemsProcessed(state.iterations() * batch);
    check(hsa_signal_destroy(done), "hsa_signal_destroy");
    check(hsa_queue_destroy(queue), "hsa_queue_destroy");
  });
}

#define CHECK_LAYER_BENCHMARK(name)    \
  BENCHMARK_CAPTURE(name, off, false); \
  BENCHMARK_CAPTURE(name, on, true)

CHECK_LAYER_BENCHMARK(check_layer_signal_load);
CHECK_LAYER_BENCHMARK(check_layer_get_info);
CHECK_LAYER_BENCHMARK(check_layer_signal_life);
CHECK_LAYER_BENCHMARK(check_layer_memory_life);
CHECK_LAYER_BENCHMARK(check_layer_barrier);

}  // namespace
