// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures copies by hsa_memory_copy beside those by memcpy, between the same buffers.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>

#include "common/hsa_session.h"

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

void copy(benchmark::State& state, bool by_runtime) {
  try {
    const auto size = static_cast<size_t>(state.range(0));
    Buffers buffers(size);
    for (auto _ : state) {
      if (by_runtime)
        check(hsa_memory_copy(buffers.to->data(), buffers.from->data(), size), "hsa_memory_copy");
      else
        std::memcpy(buffers.to->data(), buffers.from->data(), size);
      benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK_CAPTURE(copy, hsa_memory_copy, true)->RangeMultiplier(16)->Range(4 << 10, 256 << 20)->UseRealTime();
BENCHMARK_CAPTURE(copy, memcpy, false)->RangeMultiplier(16)->Range(4 << 10, 256 << 20)->UseRealTime();

}  // namespace
