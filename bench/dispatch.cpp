// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the round trip of a kernel that does nothing, from the store to the doorbell until the completion
// is observed.
//
// BENCH_EMPTY_KERNEL names the BRIG of bench/kernels/empty.hsail. The kernel runs on the first kernel agent;
// HEDDLE_AGENTS chooses the agents.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "common/hsa_session.h"

namespace {

using namespace examples;
using Clock = std::chrono::steady_clock;

/// Everything that stays the same over all dispatches.
struct Setup {
  Runtime runtime;
  Agent agent;
  std::unique_ptr<Executable> executable;
  Kernel kernel{};
  hsa_queue_t* queue = nullptr;
  hsa_signal_t completion{};

  Setup() {
    const char* module = std::getenv("BENCH_EMPTY_KERNEL");
    if (module == nullptr) throw Error("BENCH_EMPTY_KERNEL is not set");
    auto agents = kernel_agents();
    if (agents.empty()) throw Error("there is no kernel agent");
    agent = agents.front();
    executable = std::make_unique<Executable>(agent, module);
    kernel = executable->kernel("&empty");
    check(hsa_queue_create(agent.handle, 1024, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX,
                           UINT32_MAX, &queue),
          "hsa_queue_create");
    check(hsa_signal_create(0, 0, nullptr, &completion), "hsa_signal_create");
  }
  ~Setup() {
    hsa_queue_destroy(queue);
    hsa_signal_destroy(completion);
  }

  /// Writes one packet without its header, which makes it valid; returns its index.
  uint64_t prepare(uint32_t grid, hsa_signal_t signal) {
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) + index % queue->size;
    std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
    packet->workgroup_size_x = packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = grid;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->private_segment_size = kernel.private_size;
    packet->group_segment_size = kernel.group_size;
    packet->kernel_object = kernel.object;
    packet->completion_signal = signal;
    return index;
  }
  /// With the barrier bit, the packet waits until all before it have completed.
  void publish(uint64_t index, bool barrier = false) {
    auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) + index % queue->size;
    constexpr uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    constexpr uint32_t setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    const uint32_t bit = static_cast<uint32_t>(barrier) << HSA_PACKET_HEADER_BARRIER;
    __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | bit | setup << 16, __ATOMIC_RELEASE);
  }
  void wait() {
    while (hsa_signal_wait_scacquire(completion, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                     HSA_WAIT_STATE_ACTIVE) >= 1) {
    }
  }
};

/// Returns the one setup of the process. If it cannot be made, the benchmark ends with the reason.
Setup* setup(benchmark::State& state) {
  static std::unique_ptr<Setup> shared;
  try {
    if (!shared) shared = std::make_unique<Setup>();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
  return shared.get();
}

double percentile(std::vector<double>& sorted, double part) {
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(part * static_cast<double>(sorted.size())))];
}

void dispatch_round_trip(benchmark::State& state) {
  Setup* s = setup(state);
  if (s == nullptr) return;
  auto grid = static_cast<uint32_t>(state.range(0));
  std::vector<double> times;
  for (auto _ : state) {
    hsa_signal_store_relaxed(s->completion, 1);
    uint64_t index = s->prepare(grid, s->completion);
    auto start = Clock::now();
    s->publish(index);
    hsa_signal_store_screlease(s->queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    s->wait();
    double time = std::chrono::duration<double>(Clock::now() - start).count();
    state.SetIterationTime(time);
    times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  state.counters["min_us"] = times.front() * 1e6;
  state.counters["median_us"] = percentile(times, 0.5) * 1e6;
  state.counters["p99_us"] = percentile(times, 0.99) * 1e6;
  state.SetLabel(s->agent.name);
}
// The arguments are a single work-group, and enough work-groups to keep several workers busy.
BENCHMARK(dispatch_round_trip)->Arg(1)->Arg(64)->UseManualTime()->MinTime(1.0);

/// Measures the cost of one of 256 packets that share a doorbell. Either all of them have the completion
/// signal that the host polls, whose cache line then goes back and forth for each, or only the last one,
/// which waits for the others.
void dispatch_throughput(benchmark::State& state, bool all_complete) {
  Setup* s = setup(state);
  if (s == nullptr) return;
  constexpr int batch = 256;
  for (auto _ : state) {
    hsa_signal_store_relaxed(s->completion, all_complete ? batch : 1);
    uint64_t index = 0;
    for (int i = 0; i < batch; ++i) {
      const bool is_last = i == batch - 1;
      index = s->prepare(1, all_complete || is_last ? s->completion : hsa_signal_t{0});
      s->publish(index, !all_complete && is_last);
    }
    hsa_signal_store_screlease(s->queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    s->wait();
  }
  state.SetItemsProcessed(state.iterations() * batch);
  state.SetLabel(s->agent.name);
}
BENCHMARK_CAPTURE(dispatch_throughput, all, true)->UseRealTime();
BENCHMARK_CAPTURE(dispatch_throughput, last, false)->UseRealTime();

/// Measures the cost of one of 256 barrier packets without dependencies that share a doorbell, where the host
/// waits only for the last.
void barrier_throughput(benchmark::State& state) {
  Setup* s = setup(state);
  if (s == nullptr) return;
  constexpr int batch = 256;
  for (auto _ : state) {
    hsa_signal_store_relaxed(s->completion, 1);
    uint64_t index = 0;
    for (int i = 0; i < batch; ++i) {
      index = hsa_queue_add_write_index_relaxed(s->queue, 1);
      auto* packet = static_cast<hsa_barrier_and_packet_t*>(s->queue->base_address) + index % s->queue->size;
      std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
      if (i == batch - 1) packet->completion_signal = s->completion;
      constexpr uint32_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
      __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header, __ATOMIC_RELEASE);
    }
    hsa_signal_store_screlease(s->queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    s->wait();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(barrier_throughput)->UseRealTime();

}  // namespace
