// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures copies by hsa_memory_copy beside those by memcpy, between the same buffers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "common/hsa_session.h"
#include "paired.h"

namespace {

using namespace examples;

/// Two buffers in memory that host and agent share, with all of their pages present.
struct Buffers {
  Runtime runtime;
  std::unique_ptr<Buffer<char>> from, to;

  explicit Buffers(size_t size) {
    auto agents = kernel_agents();
    if (agents.empty()) throw Error("there is no kernel agent");
    from = std::make_unique<Buffer<char>>(agents.front(), size);
    to = std::make_unique<Buffer<char>>(agents.front(), size);
    std::memset(from->data(), 1, size);
    std::memset(to->data(), 2, size);
  }
};

void copy_once(const Buffers& buffers, size_t size, bool by_runtime) {
  if (by_runtime)
    check(hsa_memory_copy(buffers.to->data(), buffers.from->data(), size), "hsa_memory_copy");
  else
    std::memcpy(buffers.to->data(), buffers.from->data(), size);
  benchmark::ClobberMemory();
}

void copy(benchmark::State& state, bool by_runtime) {
  try {
    const auto size = static_cast<size_t>(state.range(0));
    Buffers buffers(size);
    for (auto _ : state) copy_once(buffers, size, by_runtime);
    state.SetBytesProcessed(state.iterations() * state.range(0));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK_CAPTURE(copy, hsa_memory_copy, true)->RangeMultiplier(16)->Range(4 << 10, 256 << 20)->UseRealTime();
BENCHMARK_CAPTURE(copy, memcpy, false)->RangeMultiplier(16)->Range(4 << 10, 256 << 20)->UseRealTime();

double nanoseconds_for_copy(const Buffers& buffers, size_t size, bool by_runtime) {
  const size_t count = std::max<size_t>((size_t{16} << 20) / size, 1);
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < count; ++i) copy_once(buffers, size, by_runtime);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count() / static_cast<double>(count);
}

void copy_ratio(benchmark::State& state) {
  try {
    const auto size = static_cast<size_t>(state.range(0));
    Buffers buffers(size);
    PairedTimes times;
    for (auto _ : state) {
      const double own = nanoseconds_for_copy(buffers, size, true);
      times.add(own, nanoseconds_for_copy(buffers, size, false));
    }
    times.report(state);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(copy_ratio)->RangeMultiplier(16)->Range(4 << 10, 16 << 20)->Iterations(101)->UseRealTime();
BENCHMARK(copy_ratio)->Arg(256 << 20)->Iterations(9)->UseRealTime();

}  // namespace
