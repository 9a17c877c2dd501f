// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what it costs that calls go through the tables that tools change: the shortest function of the
// runtime, called by its exported name, by its address, and by its name while a tool has replaced it.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <hsa/hsa_api_trace.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "common/hsa_session.h"

namespace {

using namespace examples;
using Load = hsa_signal_value_t (*)(hsa_signal_t);

Load original;

hsa_signal_value_t wrapper(hsa_signal_t signal) { return original(signal); }

enum class Way { direct, exported, wrapped };

/// Initialises the runtime with a tool that does nothing, and gives its table.
class Session {
 public:
  Session() {
    setenv("HSA_TOOLS_LIB", BENCH_TOOL, 1);
    runtime_.emplace();
    unsetenv("HSA_TOOLS_LIB");
    void* tool = dlopen(BENCH_TOOL, RTLD_NOW);
    if (tool == nullptr) throw std::runtime_error(dlerror());
    core_ = (*static_cast<HsaApiTable**>(dlsym(tool, "bench_table")))->core_;
  }
  CoreApiTable& core() { return *core_; }

 private:
  std::optional<Runtime> runtime_;
  CoreApiTable* core_;
};

void call_signal_load(benchmark::State& state, Way way) {
  try {
    Session session;
    hsa_signal_t signal{};
    check(hsa_signal_create(0, 0, nullptr, &signal), "hsa_signal_create");
    original = session.core().hsa_signal_load_relaxed_fn;
    if (way == Way::wrapped) session.core().hsa_signal_load_relaxed_fn = wrapper;
    Load function = way == Way::direct ? original : &hsa_signal_load_relaxed;
    benchmark::DoNotOptimize(function);
    for (auto _ : state) benchmark::DoNotOptimize(function(signal));
    session.core().hsa_signal_load_relaxed_fn = original;
    hsa_signal_destroy(signal);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK_CAPTURE(call_signal_load, by_address, Way::direct);
BENCHMARK_CAPTURE(call_signal_load, through_table, Way::exported);
BENCHMARK_CAPTURE(call_signal_load, through_tool, Way::wrapped);

}  // namespace
