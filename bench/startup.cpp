// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures what a program waits for before its first dispatch, the first hsa_init and the load of a large
// executable, and what it costs when it does nothing. HEDDLE_AGENTS chooses the agents. BENCH_MANY_SYMBOLS
// names a code object with many symbols for the first kernel agent.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/hsa_session.h"

namespace {

using namespace examples;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The library is loaded already, and each iteration starts the runtime anew.
void init(benchmark::State& state) {
  for (auto _ : state) {
    const auto start = Clock::now();
    const hsa_status_t status = hsa_init();
    state.SetIterationTime(seconds_since(start));
    if (status != HSA_STATUS_SUCCESS) {
      state.SkipWithError("hsa_init failed");
      return;
    }
    hsa_shut_down();
  }
}
BENCHMARK(init)->UseManualTime();

std::vector<char> many_symbols() {
  const char* path = std::getenv("BENCH_MANY_SYMBOLS");
  if (path == nullptr) throw Error("BENCH_MANY_SYMBOLS is not set");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

hsa_status_t count_symbol(hsa_executable_t, hsa_executable_symbol_t, void* count) {
  ++*static_cast<size_t*>(count);
  return HSA_STATUS_SUCCESS;
}

double processor_seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// From the bytes of a code object to a frozen executable. The processor time of the thread is the same on a
/// busy machine.
void load(benchmark::State& state) {
  try {
    Runtime runtime;
    const auto agents = kernel_agents();
    if (agents.empty()) throw Error("there is no kernel agent");
    const auto code = many_symbols();
    size_t symbols = 0;
    double used = 0;
    for (auto _ : state) {
      const auto start = Clock::now();
      used -= processor_seconds_of_thread();
      hsa_code_object_reader_t reader{};
      check(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader),
            "creating a reader");
      hsa_executable_t executable{};
      check(hsa_executable_create_alt(agents[0].profile, agents[0].rounding, nullptr, &executable),
            "hsa_executable_create_alt");
      check(hsa_executable_load_agent_code_object(executable, agents[0].handle, reader, nullptr, nullptr),
            "hsa_executable_load_agent_code_object");
      check(hsa_executable_freeze(executable, nullptr), "hsa_executable_freeze");
      used += processor_seconds_of_thread();
      state.SetIterationTime(seconds_since(start));
      symbols = 0;
      check(hsa_executable_iterate_symbols(executable, count_symbol, &symbols),
            "hsa_executable_iterate_symbols");
      hsa_executable_destroy(executable);
      hsa_code_object_reader_destroy(reader);
    }
    state.counters["processor_ms"] = used * 1e3 / static_cast<double>(state.iterations());
    state.counters["symbols"] = static_cast<double>(symbols);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(load)->UseManualTime()->Unit(benchmark::kMillisecond);

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Counts the time of processors that a process with an idle queue takes in one second.
void idle(benchmark::State& state) {
  try {
    Runtime runtime;
    const auto agents = kernel_agents();
    if (agents.empty()) throw Error("there is no kernel agent");
    hsa_queue_t* queue = nullptr;
    check(hsa_queue_create(agents[0].handle, 1024, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                           UINT32_MAX, &queue),
          "hsa_queue_create");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // threads that look for work give up
    double used = 0;
    for (auto _ : state) {
      const double before = processor_seconds();
      std::this_thread::sleep_for(std::chrono::seconds(1));
      used += processor_seconds() - before;
    }
    state.counters["processor_us"] = used * 1e6 / static_cast<double>(state.iterations());
    hsa_queue_destroy(queue);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(idle)->Iterations(3)->UseRealTime();

}  // namespace
